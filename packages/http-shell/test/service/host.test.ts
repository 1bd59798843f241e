/** What the header Host may say, and that both readers agree about it. */
import { deepStrictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { startShell } from '@services/http-shell'
import { converse } from '@services/http-shell/testing'

const hosts = [
  '',
  'x',
  'X.Example',
  'a_b.example.',
  'a.example:80',
  'a.example:',
  '10.0.0.1:65535',
  '[::1]',
  '[fe80::1%25eth0]:1',
  'xn--n-ygaa.ee',
  'p%C3%A4ring.ee',
  '[v1.fe:d]',
  ':80',
  '~a!$&()*+,;=',
  ' x ',
  '\tx\t',
]
const others = [
  'a, b',
  'a b',
  'a/b',
  'a@b',
  'a?b',
  'a#b',
  'a\\b',
  '"a"',
  '<a>',
  'a:b',
  'a:80:81',
  'a:-1',
  'a:8 0',
  'http://a',
  'p\xe4ring.ee',
  '::1',
  '[::1',
  '::1]',
  '[]',
  '[::1]x',
  '[::1]]',
  '[[::1]',
  'a[::1]',
  '[::1]:x',
  '[a/b]',
  'a|b',
  'a^b',
  '{a}',
  '`a`',
]

for (const fastReader of [false, true]) {
  test(`of ${fastReader ? 'plain requests' : 'any request'} it is a host, or refused [X16]`, async () => {
    const shell = await startShell({
      host: '127.0.0.1',
      port: 0,
      fastReader,
      handle: (exchange) => exchange.send(200, {}, ''),
      refuse: ({ reason }) => ({ status: reason === 'not a host' ? 400 : 500, body: '{}' }),
    })
    const statusOf = async (host: string): Promise<number | undefined> => {
      const [answer] = await converse(shell.port, [`GET / HTTP/1.1\r\nHost:${host}\r\nConnection: close\r\n\r\n`])
      return answer?.status
    }
    const statuses = await Promise.all([...hosts, ...others].map(async (host) => [host, await statusOf(host)]))
    deepStrictEqual(statuses, [...hosts.map((host) => [host, 200]), ...others.map((host) => [host, 400])])
    await shell.close()
  })
}
