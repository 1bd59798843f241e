/** Method and path -> page, endpoint or error. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../../src/errors.ts'
import type { Endpoint } from '../../../src/model.ts'
import { route, toRoutes } from '../../../src/serve/route.ts'

function endpoint(group: string, service: string, method: string, path: string = ''): Endpoint {
  const target = { xroadInstance: '', memberClass: '', memberCode: '', subsystemCode: '', serviceCode: '', path: '' }
  return {
    kind: 'rest',
    group,
    service,
    path,
    methods: method.split(','),
    file: '',
    limits: { timeoutSeconds: undefined, maxResponseBytes: undefined },
    client: undefined,
    target,
    headers: undefined,
    allowedQueryParams: undefined,
    forwardBody: true,
  }
}

const routes = toRoutes([
  endpoint('g', 's', 'GET'),
  endpoint('g', 'post', 'POST'),
  endpoint('rühm', 'teenus õ', 'GET'),
  endpoint('a.b', 'c.v1', 'GET'),
  endpoint('docs', 'docs.js', 'GET'),
  endpoint('m', 'several', 'PUT,GET,HEAD'),
  endpoint('p', 's', 'GET', '/{id}'),
  endpoint('p', 's', 'POST', '/search'),
  endpoint('p', 's', 'PUT,DELETE', '/{other}'),
  endpoint('p', 's', 'GET', '/{id}/{year}'),
  endpoint('p', 's', 'GET', '/{id}/reports/{year}'),
  endpoint('p', 's', 'GET', '/years/{year}/{month}'),
  endpoint('p', 's', 'GET', '/files/{rest+}'),
  endpoint('p', 's', 'GET', '/files/{name}.pdf'),
  endpoint('p', 's', 'GET', '/list/'),
  endpoint('p', 's', 'GET', '/{id}:cancel'),
  endpoint('p', 's', 'GET', '/range/{from}-{to}'),
  endpoint('%41', '{x}', 'GET', '/{id}'),
])

function outcome(method: string, target: string): string {
  try {
    const match = route(routes, method, target)
    if ('page' in match) return match.page
    return 'docs' in match ? match.docs : [match.name, ...(match.values ?? [])].join(' ')
  } catch (error) {
    const { code, headers } = error as Failure
    return headers === undefined ? code : `${code} ${headers['allow']}`
  }
}

const cases: [title: string, method: string, target: string, expected: string][] = [
  ['an endpoint [S-endpoint.rest]', 'GET', '/g/s', 'g/s'],
  ['an endpoint with a query', 'GET', '/g/s?x=/y', 'g/s'],
  ['dots in names', 'GET', '/a.b/c.v1', 'a.b/c.v1'],
  ['the method of the file counts [S-route.1 D1.6]', 'POST', '/g/s', 'method_not_allowed GET'],
  ['HEAD is a method of its own [D1.6]', 'HEAD', '/g/s', 'method_not_allowed GET'],
  ['OPTIONS as well [D1.6]', 'OPTIONS', '/g/post', 'method_not_allowed POST'],
  ['unknown service [S-route.2]', 'GET', '/g/nothing', 'template_not_found'],
  ['one segment [D1.6]', 'GET', '/g', 'template_not_found'],
  ['three segments [D1.6]', 'GET', '/g/s/t', 'template_not_found'],
  ['a slash at the end [D1.6]', 'GET', '/g/s/', 'template_not_found'],
  ['a double slash [D1.6]', 'GET', '//g/s', 'template_not_found'],
  ['the root', 'GET', '/', 'template_not_found'],
  ['no path at all', 'OPTIONS', '*', 'template_not_found'],
  ['casing counts', 'GET', '/G/s', 'template_not_found'],
  ['an unknown path comes before a wrong method [D1.6]', 'DELETE', '/x/y', 'template_not_found'],
  ['an encoded slash does not part segments [D1.6]', 'GET', '/g%2Fs', 'template_not_found'],
  ['nor join them [D1.6]', 'GET', '/g%2fs/x', 'template_not_found'],
  ['an encoded letter', 'GET', '/%67/s', 'g/s'],
  ['percent signs that encode nothing', 'GET', '/%zz/s', 'template_not_found'],
  ['names beyond ASCII, encoded', 'GET', '/r%C3%BChm/teenus%20%C3%B5', 'rühm/teenus õ'],
  ['the absolute form', 'GET', 'http://h:1/g/s?x', 'g/s'],
  ['health [S-endpoint.health]', 'GET', '/health', 'health'],
  ['HEAD of health [D1.6]', 'HEAD', '/health?x=1', 'health'],
  ['api [S-endpoint.api]', 'GET', '/api', 'api'],
  ['a wrong method of health [D1.6]', 'POST', '/health', 'method_not_allowed GET, HEAD'],
  ['a wrong method of api [D1.6]', 'DELETE', '/api', 'method_not_allowed GET, HEAD'],
  ['the page of the viewer [S-docs.page]', 'GET', '/docs?x=1#y', '/docs'],
  ['what it loads [S-docs.page]', 'HEAD', '/docs.js', '/docs.js'],
  ['a wrong method of the page [S-docs.page]', 'POST', '/docs', 'method_not_allowed GET, HEAD'],
  ['a group of the same name [S-docs.page]', 'GET', '/docs/docs.js', 'docs/docs.js'],
  ['nothing else below the page [S-docs.page]', 'GET', '/docs/docs.css', 'template_not_found'],
  ['names of prototype members', 'GET', '/__proto__/constructor', 'template_not_found'],
  ['the path of a member', 'GET', '/constructor', 'template_not_found'],
]

const parameters: typeof cases = [
  ['a parameter [P3.1]', 'GET', '/p/s/17', 'p/s/{id} 17'],
  ['several methods, in the order of the file [P3.1]', 'GET', '/m/several', 'm/several'],
  ['another one of them [P3.1]', 'HEAD', '/m/several', 'm/several'],
  ['none of them [P3.1]', 'POST', '/m/several', 'method_not_allowed PUT, GET, HEAD'],
  ['a text goes before a parameter [P3.1]', 'POST', '/p/s/search', 'p/s/search'],
  ['also where its method is another one [P3.1]', 'GET', '/p/s/search', 'method_not_allowed POST'],
  ['also where it is encoded [P3.1]', 'POST', '/p/s/s%65arch', 'p/s/search'],
  ['another method of a path [P3.1]', 'DELETE', '/p/s/17', 'p/s/{other} 17'],
  ['all methods of a path [P3.1]', 'PATCH', '/p/s/17', 'method_not_allowed GET, PUT, DELETE'],
  ['HEAD of a parameter [P3.1]', 'HEAD', '/p/s/17', 'method_not_allowed GET, PUT, DELETE'],
  ['OPTIONS of a parameter [P3.1]', 'OPTIONS', '/p/s/17', 'method_not_allowed GET, PUT, DELETE'],
  ['two parameters [P3.1]', 'GET', '/p/s/17/2024', 'p/s/{id}/{year} 17 2024'],
  ['a text between parameters [P3.1]', 'GET', '/p/s/17/reports/2024', 'p/s/{id}/reports/{year} 17 2024'],
  ['the other way after a dead end [P3.1]', 'GET', '/p/s/years/reports/2024', 'p/s/years/{year}/{month} reports 2024'],
  ['all that is left [P3.1]', 'GET', '/p/s/files/a/b%20c/d', 'p/s/files/{rest+} a/b%20c/d'],
  ['at least one segment [P3.1]', 'GET', '/p/s/files', 'p/s/{id} files'],
  ['a part of a segment before all of it [P3.1]', 'GET', '/p/s/files/x.pdf', 'p/s/files/{name}.pdf x'],
  ['and not further down [P3.1]', 'GET', '/p/s/files/a/x.pdf', 'p/s/files/{rest+} a/x.pdf'],
  ['a text behind a parameter [P3.1]', 'GET', '/p/s/17:cancel', 'p/s/{id}:cancel 17'],
  ['the same, encoded [P3.1]', 'GET', '/p/s/1%2F7%3Acancel', 'p/s/{id}:cancel 1%2F7'],
  ['two parts of a segment [P3.1]', 'GET', '/p/s/range/1-2-3', 'p/s/range/{from}-{to} 1 2-3'],
  ['a part without content [P3.1]', 'GET', '/p/s/range/-3', 'p/s/{id}/{year} range -3'],
  ['a path that ends in a slash [P3.1]', 'GET', '/p/s/list/', 'p/s/list/'],
  ['and is another one without [P3.1]', 'GET', '/p/s/list', 'p/s/{id} list'],
  ['names that look like parameters or codes [P3.1]', 'GET', '/%2541/%7Bx%7D/1', '%41/{x}/{id} 1'],
  ['names that are decoded once [P3.1]', 'GET', '/%41/%7Bx%7D/1', 'template_not_found'],
  ['an empty segment [P3.1]', 'GET', '/p/s/', 'template_not_found'],
  ['an empty segment in the middle [P3.1]', 'GET', '/p/s//2024', 'template_not_found'],
  ['an empty segment among all that is left [P3.1]', 'GET', '/p/s/files/a//b', 'template_not_found'],
  ['an empty segment at the end [P3.1]', 'GET', '/p/s/files/a/b/', 'template_not_found'],
  ['too many segments [P3.1]', 'GET', '/p/s/a/b/c/d', 'template_not_found'],
  ['the query is no part of it [P3.1]', 'GET', '/p/s/17?x=/../..', 'p/s/{id} 17'],
  ['the absolute form [P3.1]', 'GET', 'http://h/p/s/17?x', 'p/s/{id} 17'],
]

for (const [title, method, target, expected] of [...cases, ...parameters]) {
  test(title, () => strictEqual(outcome(method, target), expected))
}

test('the message names both methods [S-error.method_not_allowed]', () => {
  try {
    route(routes, 'PUT', '/g/s')
    throw new Error('nothing was thrown')
  } catch (error) {
    const { message, headers } = error as Failure
    deepStrictEqual([message, headers], ['this path answers GET, not PUT', { allow: 'GET' }])
  }
})

test('the 405 of a SOAP endpoint says where its params go, to a GET only [G9]', () => {
  const soap = { ...endpoint('x', 'person', 'POST'), kind: 'soap', params: ['code', 'year'] } as unknown as Endpoint
  const only = toRoutes([soap])
  const said = 'this path answers POST, not'
  throws(() => route(only, 'GET', '/x/person?code=1'), {
    message: `${said} GET; its params go into a JSON body: {"code": ".."}`,
  })
  throws(() => route(only, 'PUT', '/x/person'), { message: `${said} PUT` })
  const without = toRoutes([{ ...soap, params: [] } as unknown as Endpoint])
  throws(() => route(without, 'GET', '/x/person'), { message: `${said} GET` })
})

test('the message names all methods [P3.1]', () => {
  throws(() => route(routes, 'POST', '/m/several'), { message: 'this path answers PUT, GET and HEAD, not POST' })
})

test('whatever a caller sends for parameters, nothing leads out of their place [P3.1]', () => {
  const odd = fc.constantFrom(
    ...'. .. / %2e %2E %252e %2f %5c \\ ; %3b %00 %20 %09 %25 %c0%ae %ef%bc%8e a b é'.split(' '),
  )
  const segment = fc.array(odd, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), (segments) => {
      const raw = Buffer.from(`/p/s/files/${segments.join('/')}`).toString('latin1')
      let match
      try {
        match = route(routes, 'GET', raw)
      } catch (error) {
        ok(error instanceof Failure, String(error))
        return
      }
      for (const value of 'endpoint' in match ? (match.values ?? []).flatMap((each) => each.split('/')) : []) {
        ok(/^(?:[\w.~-]|%[\dA-F]{2})+$/.test(value), value)
        let reading = value
        for (let round = 0; round < 4; round++) {
          for (const each of reading.split(/[/\\]/))
            ok(!/^\.{1,2}$/.test(each.split(';')[0]!.trim()), `${raw}: ${reading}`)
          try {
            reading = decodeURIComponent(reading)
          } catch {
            break
          }
        }
      }
    }),
    { numRuns: 20_000 },
  )
})

const thousand = toRoutes([
  ...Array.from({ length: 1000 }, (_, at) => endpoint('many', `s${at}`, 'GET', '/{id}/{year}')),
  ...Array.from({ length: 1000 }, (_, at) => endpoint('one', 's', 'GET', `/{id}/t${at}/{year}`)),
  endpoint('plain', 's', 'GET'),
])

test('a thousand endpoints with parameters are no slower than ten [P3.1]', () => {
  const few = toRoutes(Array.from({ length: 10 }, (_, at) => endpoint('many', `s${at}`, 'GET', '/{id}/{year}')))
  const timeOf = (of: typeof few, target: string): number => {
    const rounds = Array.from({ length: 7 }, () => {
      const since = process.cpuUsage()
      for (let i = 0; i < 20_000; i++) route(of, 'GET', target)
      const { user, system } = process.cpuUsage(since)
      return user + system
    })
    return Math.min(...rounds)
  }
  timeOf(few, '/many/s7/17/2024')
  const base = timeOf(few, '/many/s7/17/2024')
  for (const target of ['/many/s777/17/2024', '/one/s/17/t777/2024']) {
    const time = timeOf(thousand, target)
    ok(time < 4 * base + 10_000, `${target}: ${time} µs, ${base} µs with ten`)
  }
})

test('a path of as many segments as fit is refused at once [P3.1]', () => {
  const since = process.cpuUsage()
  throws(() => route(routes, 'GET', `/p/s/files${'/a'.repeat(32_000)}/`), { code: 'template_not_found' })
  ok('endpoint' in route(routes, 'GET', `/p/s/files${'/a%2e'.repeat(13_000)}`))
  const { user, system } = process.cpuUsage(since)
  ok(user + system < 2_000_000, `${user + system} µs`)
})
