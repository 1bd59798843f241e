import { fail, match, ok, strictEqual } from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcp, type LookupFunction, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createSecureContext, createServer as createTls, type SecureContext, type TLSSocket } from 'node:tls'
import {
  type Issued,
  issueClient,
  issueServer,
  makeAuthority,
  makeIntermediate,
  makeKey,
  makeSelfSigned,
  toPkcs12,
} from '@services/testing/certificates'
import { freePort, newFolder } from '@services/testing'
import fc from 'fast-check'
import { Agent, request } from 'undici'
import { createClientContext, createPublicContext } from '../../../src/boot/tls/keystore.ts'
import { describe as describeCause } from '../../../src/upstream/causes.ts'

const folder = newFolder()

const authority = makeAuthority()
const stranger = makeAuthority('another authority')
const server = issueServer(authority)
const client = issueClient(authority)
const dayMs = 86_400_000

function contextOf(identity: Issued, trusted: Issued): SecureContext {
  const keystorePath = join(folder, 'client.p12')
  const trustCaPath = join(folder, 'trust.pem')
  writeFileSync(keystorePath, toPkcs12(identity.key, [identity.certificate], 'x'))
  writeFileSync(trustCaPath, trusted.certificate)
  return createClientContext({ keystorePath, keystorePasswordEnv: 'WORD', trustCaPath }, { WORD: 'x' })
}

const context = contextOf(client, authority)

interface Call {
  readonly secureContext?: SecureContext
  readonly scheme?: 'http' | 'https'
  readonly host?: string
  readonly lookup?: LookupFunction
  readonly body?: string
}

/** Calls a port of this machine, which must fail, and gives what the client threw. */
async function callPort(port: number, call: Call = {}): Promise<unknown> {
  const { secureContext = context, scheme = 'https', host = '127.0.0.1', lookup, body } = call
  const dispatcher = new Agent({
    allowH2: false,
    connect: { secureContext, timeout: 1000, ...(lookup === undefined ? {} : { lookup }) },
  })
  try {
    const answer = await request(`${scheme}://${host}:${port}/secret/path?key=value`, {
      dispatcher,
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    await answer.body.text()
  } catch (error) {
    return error
  } finally {
    await dispatcher.destroy()
  }
  return fail('the call went well')
}

async function callServer(listener: Server, call: Call = {}): Promise<unknown> {
  const sockets = new Set<Socket>()
  listener.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  listener.on('tlsClientError', () => {})
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  try {
    return await callPort((listener.address() as AddressInfo).port, call)
  } finally {
    listener.close()
    for (const socket of sockets) socket.destroy()
  }
}

/** Nothing of the place that was called, of the client or of the TLS library may show. */
const telltale = /127\.0\.0\.1|::1|localhost|\.invalid|\.example|\/secret|openssl|node:|routines|:\d{4,5}|\bat .*\.js/i

function check(error: unknown, code: string | RegExp, words: RegExp): void {
  const cause = describeCause(error)
  if (typeof code === 'string') strictEqual(cause.code, code)
  else match(cause.code, code)
  match(cause.message, words)
  ok(!telltale.test(cause.message), cause.message)
}

function serve({ key, certificate }: Issued, options: ServerOptions = {}): Server {
  return createHttps({ key, cert: certificate, ...options }, (_request, response) => response.end('fine'))
}

/** Answers any request with these bytes and hangs up. */
function say(answer: string | Buffer): Server {
  return createTls({ key: server.key, cert: server.certificate }, (socket: TLSSocket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(answer))
  })
}

describe('the certificate of the server [D2.6]', () => {
  const chained = { ...server, certificate: server.certificate + authority.certificate }
  const middle = makeIntermediate(authority)
  const past = { notBefore: new Date(Date.now() - 9 * dayMs), notAfter: new Date(Date.now() - dayMs) }
  const future = { notBefore: new Date(Date.now() + dayMs), notAfter: new Date(Date.now() + 9 * dayMs) }
  const weak = issueServer(authority, { key: makeKey(1024) })
  const strange = contextOf(client, stranger)
  const cases: readonly [string, Server, SecureContext, string | RegExp, RegExp][] = [
    ['of another issuer', serve(server), strange, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /issuer.*trust_ca_path/],
    [
      'unknown to the system',
      serve(server),
      createPublicContext(),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      /trust_ca_path.*system/,
    ],
    ['self-signed', serve(makeSelfSigned()), context, 'DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed.*trust_ca_path/],
    ['sent with its root', serve(chained), strange, 'SELF_SIGNED_CERT_IN_CHAIN', /trust_ca_path/],
    ['without its intermediate', serve(issueServer(middle)), context, /^UNABLE_TO_/, /trust_ca_path/],
    ['expired', serve(issueServer(authority, past)), context, 'CERT_HAS_EXPIRED', /expired: renew it/],
    ['of the future', serve(issueServer(authority, future)), context, 'CERT_NOT_YET_VALID', /not valid yet.*clocks/],
    [
      'for another name',
      serve(issueServer(authority, { names: ['ss.example'] })),
      context,
      'ERR_TLS_CERT_ALTNAME_INVALID',
      /another name.*subjectAltName/,
    ],
    ['too weak', serve(weak, { ciphers: 'DEFAULT@SECLEVEL=0' }), context, 'UNSPECIFIED', /too weak/],
  ]
  for (const [name, listener, secureContext, code, words] of cases) {
    test(name, async () => check(await callServer(listener, { secureContext }), code, words))
  }
})

describe('no connection [D2.6]', () => {
  test('a refused connection is told as such', async () =>
    check(await callPort(await freePort()), 'ECONNREFUSED', /refused.*security_server\.url/))

  test('refused by each address of a name', async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ])
    const error = await callPort(await freePort(), { host: 'several.example', lookup })
    ok(error instanceof AggregateError)
    check(error, 'ECONNREFUSED', /refused/)
  })

  test('a host that is not known is told as such', async () => {
    check(await callPort(443, { host: 'no-such-host.invalid' }), /^(ENOTFOUND|EAI_AGAIN)$/, /cannot be resolved.*DNS/)
  })

  test('a port that takes the connection and stays silent', async () => {
    check(await callServer(createTcp(() => {})), 'UND_ERR_CONNECT_TIMEOUT', /in time.*firewall/)
  })

  test('reset or closed before TLS stands', async () => {
    const reset = createTcp((socket) => socket.resetAndDestroy())
    const closed = createTcp((socket) => socket.end())
    const later = createTcp((socket) => socket.once('data', () => socket.destroy()))
    for (const listener of [reset, closed, later]) {
      check(await callServer(listener), 'ECONNRESET', /broke the connection off.*certificate/)
    }
  })
})

describe('the handshake [D2.6]', () => {
  test('a port that speaks plain HTTP, or anything else', async () => {
    const plain = createHttp((_request, response) => response.end())
    const banner = createTcp((socket) => socket.write('SSH-2.0-x\r\n'))
    for (const listener of [plain, banner]) {
      check(await callServer(listener), 'ERR_SSL_WRONG_VERSION_NUMBER', /plain HTTP.*4000 is the administration/)
    }
  })

  test('a server that speaks TLS 1.1 only', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
    check(await callServer(serve(server, old)), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', /TLS 1\.2 is the minimum/)
  })

  test('a server that demands a client certificate and gets none, TLS 1.2 and 1.3', async () => {
    const nobody = createSecureContext({ ca: authority.certificate })
    const codes = { 'TLSv1.2': /ALERT_HANDSHAKE_FAILURE$/, 'TLSv1.3': /^(UND_ERR_SOCKET|ECONNRESET)$/ } as const
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const strict = { requestCert: true, rejectUnauthorized: true, ca: authority.certificate }
      const listener = serve(server, { ...strict, minVersion: version, maxVersion: version })
      check(
        await callServer(listener, { secureContext: nobody }),
        codes[version],
        /upload the certificate of the keystore/,
      )
    }
  })

  test('a server that does not know our certificate, TLS 1.2 and 1.3', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const strict = { requestCert: true, rejectUnauthorized: true, ca: authority.certificate }
      const listener = serve(server, { ...strict, minVersion: version, maxVersion: version })
      const unknown = contextOf(issueClient(stranger), authority)
      const error = await callServer(listener, { secureContext: unknown })
      check(error, /^(UND_ERR_SOCKET|ECONNRESET)$/, /certificate of the keystore.*Security Server/)
    }
  })

  /** The server answers our first message with a fatal alert of this number. */
  function alert(number: number): Server {
    return createTcp((socket) => socket.once('data', () => socket.write(Buffer.from([0x15, 3, 3, 0, 2, 2, number]))))
  }

  const upload = /upload the certificate of the keystore/
  const alerts: readonly [string, number, RegExp][] = [
    ['handshake_failure', 40, upload],
    ['no_certificate', 41, upload],
    ['bad_certificate', 42, upload],
    ['unsupported_certificate', 43, upload],
    ['certificate_revoked', 44, /our certificate.*revoked/],
    ['certificate_expired', 45, /our certificate.*expired/],
    ['certificate_unknown', 46, upload],
    ['illegal_parameter', 47, /handshake .* failed \(ERR_SSL_/],
    ['unknown_ca', 48, upload],
    ['access_denied', 49, upload],
    ['decrypt_error', 51, upload],
    ['protocol_version', 70, /TLS 1\.2 is the minimum/],
    ['insufficient_security', 71, /cipher suite/],
    ['internal_error', 80, /see its log/],
    ['unrecognized_name', 112, /does not know the host name/],
    ['certificate_required', 116, upload],
    ['no_application_protocol', 120, /HTTP\/1\.1/],
  ]
  for (const [name, number, words] of alerts) {
    test(`alert ${name}`, async () => check(await callServer(alert(number)), /^ERR_SSL_/, words))
  }
})

describe('what is no whole answer [D2.6]', () => {
  const head = 'HTTP/1.1 200 OK\r\n'
  const cases: readonly [string, string | Buffer, string | RegExp, RegExp][] = [
    [
      'its length twice [G7]',
      `${head}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`,
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      /says its length twice/,
    ],
    ['text', 'hello there\r\n\r\n', 'HTTPParserError', /not valid HTTP/],
    ['bytes', Buffer.from([0, 1, 2, 255, 254, 13, 10]), 'HTTPParserError', /not valid HTTP/],
    ['a page without a head', '<html>', 'HTTPParserError', /not valid HTTP/],
    ['a broken chunk', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nab`, 'HTTPParserError', /not valid HTTP/],
    ['nothing', '', 'UND_ERR_SOCKET', /closed the connection before the end of its answer/],
    ['half a head', 'HTTP/1.1 200', 'UND_ERR_SOCKET', /before the end of its answer/],
    ['half a body', `${head}Content-Length: 10\r\n\r\nabc`, 'UND_ERR_SOCKET', /before the end of its answer/],
    [
      'another protocol',
      'HTTP/1.1 101 On\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'UNASKED_ANSWER',
      /the status 101/,
    ],
    ['a status below 100', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n', 'ERR_ASSERTION', /not valid HTTP/],
    ['half a chunk', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, 'UND_ERR_SOCKET', /before the end/],
    [
      'two lengths',
      `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
      /^(UND_ERR_RES|HTTPP)/,
      /length|long|HTTP/,
    ],
    [
      'endless headers',
      `${head}${`a: ${'x'.repeat(1000)}\r\n`.repeat(40)}\r\n`,
      'UND_ERR_HEADERS_OVERFLOW',
      /headers.*too large/,
    ],
  ]
  for (const [name, answer, code, words] of cases) {
    test(name, async () => check(await callServer(say(answer)), code, words))
  }

  test('a reset while the request is sent', async () => {
    const listener = createTls({ key: server.key, cert: server.certificate }, (socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.destroy())
    })
    const error = await callServer(listener, { body: 'x'.repeat(5_000_000) })
    check(error, /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, /connection/)
  })
})

describe('errors that cannot be provoked here [D2.6]', () => {
  const cases: readonly [string, RegExp][] = [
    ['EAI_AGAIN', /cannot be resolved/],
    ['ETIMEDOUT', /firewall/],
    ['EHOSTUNREACH', /no network route/],
    ['ENETUNREACH', /no network route/],
    ['EPIPE', /while the request was being sent/],
    ['EMFILE', /open files/],
    ['EPROTO', /plain HTTP/],
    ['CERT_REVOKED', /revoked/],
    ['UNABLE_TO_GET_ISSUER_CERT', /trust_ca_path/],
    ['INVALID_PURPOSE', /not made for servers/],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', /TLS 1\.2/],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', /client certificate/],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', /does not accept our certificate/],
    ['HPE_INVALID_CONSTANT', /not valid HTTP/],
    ['ERR_ASSERTION', /not valid HTTP/],
    ['UND_ERR_INFO', /broke the connection off/],
    ['ADDRESS_REFUSED', /must not be called/],
    ['ERR_SSL_SOMETHING_NEW', /TLS handshake with the upstream failed \(ERR_SSL_SOMETHING_NEW\)/],
    ['ESOMETHING', /^the connection to the upstream failed \(ESOMETHING\)$/],
  ]
  const secret = 'connect to 127.0.0.1:5500 /secret/path'
  for (const [code, words] of cases) {
    test(code, () => {
      const error = Object.assign(new Error(secret), { code })
      check(error, code, words)
      check(new Error(secret, { cause: error }), code, words)
      check(new AggregateError([error], secret), code, words)
    })
  }

  test('a known error inside an unknown one explains both', () => {
    const cause = Object.assign(new Error(secret), { code: 'CERT_HAS_EXPIRED' })
    check(Object.assign(new Error(secret, { cause }), { code: 'EWRAPPER' }), 'CERT_HAS_EXPIRED', /has expired/)
    const outer = Object.assign(new Error(secret, { cause: new Error(secret) }), { code: 'EWRAPPER' })
    check(outer, 'EWRAPPER', /failed \(EWRAPPER\)$/)
  })

  test('whatever is thrown: a message and a code, nothing of its text', () => {
    const loop = new Error(secret)
    loop.cause = loop
    const odd = [
      undefined,
      null,
      'text',
      5,
      loop,
      { code: 5 },
      { code: 'constructor' },
      { code: '__proto__' },
      { errors: [] },
    ]
    for (const thrown of [...odd, { code: secret }]) {
      check(thrown, 'UNKNOWN', /^the connection to the upstream failed \(UNKNOWN\)$/)
    }
    fc.assert(
      fc.property(fc.anything(), fc.string(), (value, code) => {
        for (const thrown of [value, { code, cause: value, errors: value }]) {
          const cause = describeCause(thrown)
          ok(cause.message.length > 0 && /^[A-Z][A-Za-z0-9_/]+$/.test(cause.code))
        }
      }),
    )
  })
})
