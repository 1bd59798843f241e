import { ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter } from '@services/testing/characters'
import fc from 'fast-check'
import { parse } from 'pg-connection-string'
import { injectCredentials, maskUrl, urlHint, urlProblem, userOf } from '../../../../src/boot/config/url.ts'
import { dialectOf } from '../../../../src/dialects.ts'

const masked: readonly [string, string][] = [
  ['postgres://h/db', 'postgres://h/db'],
  ['postgres://h:5432/db?sslmode=require', 'postgres://h:5432/db?sslmode=require'],
  ['postgres://me@h:5432/db', 'postgres://me@h:5432/db'],
  ['postgres://me:secret@h:5432/db', 'postgres://me:*****@h:5432/db'],
  ['postgresql://me:secret@h/db?sslmode=require', 'postgresql://me:*****@h/db?sslmode=require'],
  ['postgres://:secret@h/db', 'postgres://:*****@h/db'],
  ['postgres://me:@h/db', 'postgres://me:*****@h/db'],
  ['postgres://me:sec@ret@h/db', 'postgres://me:*****@h/db'],
  ['postgres://me:se:cr:et@h/db', 'postgres://me:*****@h/db'],
  ['postgres://me:se/c?r#et@h/db', 'postgres://me:*****@h/db'],
  ['postgres://me:secret', 'postgres://me:*****'],
  ['postgres://[::1]:5432/db', 'postgres://[::1]:5432/db'],
  ['postgres://me:secret@[::1]:5432/db', 'postgres://me:*****@[::1]:5432/db'],
  ['postgres://h/db?password=secret', 'postgres://h/db?password=*****'],
  ['postgres://h/db?PassWord=secret&x=1&password=second', 'postgres://h/db?PassWord=*****&x=1&password=*****'],
  ['postgres://h/db?pass%77ord=secret', 'postgres://h/db?pass%77ord=*****'],
  ['postgres://h/db?password=se=cr&et&x=1', 'postgres://h/db?password=*****&*****&x=1'],
  ['postgres://h/db?sslpassword=secret', 'postgres://h/db?sslpassword=*****'],
  ['postgres://me:one@h/db?password=two@three', 'postgres://me:*****@h/db?password=*****'],
  ['sqlite:/data/a:b@c.db?mode=ro', 'sqlite:/data/a:b@c.db?mode=ro'],
  ['sqlite::memory:', 'sqlite::memory:'],
  ['', ''],
]

for (const [url, shown] of masked) test(`mask ${JSON.stringify(url)} [D1.2]`, () => strictEqual(maskUrl(url), shown))

const password = fc.string({ minLength: 1, unit: 'grapheme-ascii' }).map((text) => `Zq${text}Zq`)

test('no part of a password is left, however it is written and wherever it stands [D1.2] [S-auth.1]', () => {
  const places: readonly ((secret: string) => string)[] = [
    (secret) => `postgres://me:${secret}@h:5432/db?sslmode=require`,
    (secret) => `postgres://:${secret}@h/db`,
    (secret) => `postgres://h/db?password=${encodeURIComponent(secret)}&x=1`,
    (secret) => injectCredentials('postgres://h/db', 'me', secret),
    (secret) => injectCredentials('postgres://h/db?application_name=a@b', 'me', secret),
  ]
  fc.assert(
    fc.property(password, fc.constantFrom(...places), (secret, place) => !maskUrl(place(secret)).includes('Zq')),
  )
})

test('masking never throws, whatever the text is [D1.2]', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc
      .array(fc.constantFrom('postgres://', 'sqlite:', 'a', ':', '@', '/', '?', '&', '=', '#', '%', 'password=', '5'))
      .map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (url) => typeof maskUrl(url) === 'string'),
    { numRuns: 2000 },
  )
})

test('injected credentials reach the driver as they are [D6.3]', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.string({ minLength: 1, unit: 'grapheme' }),
      (user, secret) => {
        const url = injectCredentials('postgres://h:1/db?application_name=x', user, secret)
        const parsed = parse(url)
        strictEqual(parsed.user, user)
        strictEqual(parsed.password, secret)
        strictEqual(parsed.host, 'h')
        strictEqual(userOf(url), user)
        strictEqual(urlProblem(url), undefined)
      },
    ),
  )
})

const injected: readonly [string, string, string, string][] = [
  ['postgres://h/db', 'me', 'pw', 'postgres://me:pw@h/db'],
  ['postgres://own:own@h/db', 'me', 'pw', 'postgres://own:own@h/db'],
  ['postgres://own@h/db', 'me', 'pw', 'postgres://own:pw@h/db'],
  ['postgres://own:@h/db', 'me', 'pw', 'postgres://own:pw@h/db'],
  ['postgres://h/db', '', 'pw', 'postgres://:pw@h/db'],
  ['postgres://h/db', 'me', '', 'postgres://me@h/db'],
  ['postgres://h/db', '', '', 'postgres://h/db'],
  ['postgres://h/db?user=q', 'me', 'pw', 'postgres://:pw@h/db?user=q'],
  ['postgres://h/db?x=a@b', 'me', 'pw', 'postgres://me:pw@h/db?x=a@b'],
  ['sqlite:a.db', 'me', 'pw', 'sqlite:a.db'],
]

for (const [url, user, secret, full] of injected) {
  test(`${url} with ${user || 'nobody'} and ${secret || 'nothing'} [D6.3]`, () =>
    strictEqual(injectCredentials(url, user, secret), full))
}

test('the scheme decides the dialect [S-config.datasources.url]', () => {
  const dialects = [
    'postgres://h',
    'postgresql://h',
    'POSTGRES://h',
    'sqlite:a',
    'sqlite::memory:',
    'mysql://h',
    'postgres:h',
    '',
  ].map(dialectOf)
  ok(
    JSON.stringify(dialects) ===
      JSON.stringify(['postgres', 'postgres', 'postgres', 'sqlite', 'sqlite', undefined, undefined, undefined]),
  )
})

test('a path that only a shell would complete has a hint [O4.1]', () => {
  const hint = 'the path begins with ~, which only shells replace (write the path of the home directory)'
  for (const url of ['sqlite:~/crm.db', 'sqlite://~/crm.db']) strictEqual(urlHint(url), hint)
  for (const url of ['sqlite:crm.db', 'sqlite:/home/a~b/crm.db']) strictEqual(urlHint(url), undefined)
})
