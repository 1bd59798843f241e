/**
 * Explains why a connection failed or broke, and what to do about it. Takes whatever net, tls, DNS or the HTTP client
 * threw; gives a message for the caller and the bare code for the log. Never passes on the text of the error itself: it
 * holds hosts, addresses and paths.
 */

export interface Cause {
  /** Free of host, address, URL and path. */
  readonly message: string
  readonly code: string
}

/** Errors wrap each other; a chain that is longer than this is a loop. */
const maxWraps = 8
const safeCode = /^[A-Z][A-Za-z0-9_/]{1,63}$/

/** For a response whose transfer coding is not known here: its body would be passed on as something that it is not. */
export function codedResponse(): Error {
  return Object.assign(new Error('unknown transfer coding'), { code: 'TRANSFER_CODING' })
}

export function describe(error: unknown): Cause {
  const codes = [...unwrap(error)].map(codeOf).filter((code) => code !== undefined)
  const known = codes.find((code) => explain(code) !== undefined)
  if (known !== undefined) return { message: explain(known) ?? '', code: known }
  const code = codes[0] ?? 'UNKNOWN'
  return { message: `the connection to the upstream failed (${code})`, code }
}

/** The error, then what it wraps. Of several attempts (one name, several addresses) the first stands for all. */
function* unwrap(error: unknown): Generator<object> {
  let current = error
  for (let i = 0; i < maxWraps && typeof current === 'object' && current !== null; i++) {
    yield current
    const { errors, cause } = current as { errors?: unknown; cause?: unknown }
    current = Array.isArray(errors) && errors.length > 0 ? (errors as unknown[])[0] : cause
  }
}

/** What the client says of an interim response that it did not ask for; the code is that of a lost connection. */
const unasked: ReadonlySet<unknown> = new Set(['bad response', 'bad upgrade'])

/** The client's parser errors say what they are by name only. */
function codeOf(error: object): string | undefined {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown }
  if (code === 'UND_ERR_SOCKET' && unasked.has(message)) return 'UNASKED_ANSWER'
  if (typeof code === 'string' && safeCode.test(code)) return code
  return name === 'HTTPParserError' ? name : undefined
}

function explain(code: string): string | undefined {
  const alert = alertPattern.exec(code)?.[1]
  if (alert !== undefined && Object.hasOwn(alerts, alert)) return alerts[alert]
  if (Object.hasOwn(causes, code)) return causes[code]
  if (code.startsWith('HPE_')) return notHttp
  return code.startsWith('ERR_SSL_') ? `the TLS handshake with the upstream failed (${code})` : undefined
}

const address = 'check host and port of security_server.url (or of the service)'
const firewall = 'a firewall may drop outgoing connections to this port'
const clientCertificate =
  'upload the certificate of the keystore to the internal TLS certificates of this client on the Security Server'

const notFound = `the host name of the upstream cannot be resolved: ${address} and the DNS settings`
const unreachable = `there is no network route to the upstream: ${address}, the network and the firewall`
const timedOut = `the upstream did not take the connection in time: ${firewall}; ${address}`
const noAnswer = 'the upstream did not answer in time'
const broken = 'the upstream broke the connection off'
const perhapsRefused = `it may expect no TLS on this port or refuse our certificate: ${clientCertificate}`
const closed = `the upstream closed the connection before the end of its answer; if always, ${perhapsRefused}`
const reset = `${broken}; if always, ${perhapsRefused}`
const notHttp = 'the upstream answered with something that is not valid HTTP: messages go to port 5500, 8443 or 443'
const unknownIssuer =
  'the certificate of the upstream comes from an unknown issuer: put its issuer, or itself if it is self-signed, ' +
  'into the file of security_server.trust_ca_path (for a direct service: into the system trust store)'
const plainHttp =
  'the port of the upstream does not speak TLS but probably plain HTTP (wrong version number): ' +
  'check the port; messages go to 5500, 8443 or 443, and 4000 is the administration'
const expired = 'the certificate of the upstream has expired: renew it there, and check the clock here'
const notYetValid = 'the certificate of the upstream is not valid yet: check the clocks on both sides'
const revoked = 'the certificate of the upstream has been revoked: it needs a new one'
const unusable = 'the certificate of the upstream cannot be used'
const wrongName =
  'the certificate of the upstream is for another name: use a host name or address that is in its subjectAltName'
const oldTls = 'the upstream and this service have no TLS version in common: TLS 1.2 is the minimum here'
const noCommonCipher = 'the upstream and this service have no TLS cipher suite in common'
const refusedIdentity = `the upstream does not accept our certificate: ${clientCertificate}`
const stopping = 'this service is stopping'

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: `the upstream refused the connection: nothing listens on this port; ${address}`,
  ENOTFOUND: notFound,
  EAI_AGAIN: 'the host name of the upstream cannot be resolved for the moment: no DNS server answered',
  EAI_FAIL: notFound,
  ETIMEDOUT: timedOut,
  UND_ERR_CONNECT_TIMEOUT: timedOut,
  UND_ERR_HEADERS_TIMEOUT: noAnswer,
  UND_ERR_BODY_TIMEOUT: noAnswer,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENETDOWN: unreachable,
  EHOSTDOWN: unreachable,
  ADDRESS_REFUSED:
    'the host name of the service leads to an address that must not be called (private, loopback or reserved)',
  EACCES: 'this machine forbids the connection to the upstream: check its firewall',
  EPERM: 'this machine forbids the connection to the upstream: check its firewall',
  EADDRNOTAVAIL: 'this machine has no free port or no address for a connection to the upstream',
  EMFILE: 'this process has too many open files to connect: raise its limit (ulimit -n)',
  ENFILE: 'this machine has too many open files to connect',
  ECONNRESET: reset,
  // A reset once the connection was open, as connect.ts calls it.
  ECONNABORTED: reset,
  EPIPE: `${broken} while the request was being sent`,
  UND_ERR_SOCKET: closed,
  UNASKED_ANSWER: 'the upstream answered with the status 101, which this service does not ask for',
  SHIFTED_ANSWERS:
    'the connection was closed, because an answer to another message came over it before: the upstream sends more answers than it gets requests',
  TLS_CUT: 'the answer was cut: it has no length, and its connection ended without the last message of TLS',
  TRANSFER_CODING:
    'the answer of the upstream has a Transfer-Encoding other than chunked, which this service did not ask for',
  UND_ERR_INFO: broken,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH:
    'the answer of the upstream is not as long as it says, or says its length twice (two lines Content-Length)',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'the body of the request is not as long as it says',
  UND_ERR_INVALID_ARG: 'the request cannot be sent on as HTTP: a header or the path holds a forbidden character',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the upstream answer are too large',
  UND_ERR_DESTROYED: stopping,
  UND_ERR_CLOSED: stopping,
  HTTPParserError: notHttp,
  // The client takes for granted that a status is at least 100.
  ERR_ASSERTION: notHttp,

  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  CERT_UNTRUSTED: unknownIssuer,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: notYetValid,
  CERT_REVOKED: revoked,
  CERT_REJECTED: unusable,
  CERT_CHAIN_TOO_LONG: `${unusable}: too many issuers above it`,
  CERT_SIGNATURE_FAILURE: `${unusable}: its signature is wrong; trust_ca_path may hold an old issuer of the same name`,
  INVALID_CA: `${unusable}: its issuer is not a certification authority`,
  PATH_LENGTH_EXCEEDED: `${unusable}: its issuer may not issue it`,
  INVALID_PURPOSE: `${unusable}: it is not made for servers`,
  HOSTNAME_MISMATCH: wrongName,
  ERR_TLS_CERT_ALTNAME_INVALID: wrongName,
  // What OpenSSL refuses and Node has no code of its own for; weak keys and signatures by far the most often.
  UNSPECIFIED: `${unusable}: its key or a signature is too weak, or it has an unknown critical extension`,

  EPROTO: `the TLS handshake with the upstream failed; ${plainHttp}`,
  ERR_SSL_WRONG_VERSION_NUMBER: plainHttp,
  ERR_SSL_HTTP_REQUEST: plainHttp,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plainHttp,
  ERR_SSL_UNSUPPORTED_PROTOCOL: oldTls,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: oldTls,
  ERR_SSL_NO_SHARED_CIPHER: noCommonCipher,
  ERR_SSL_DH_KEY_TOO_SMALL: 'the TLS key exchange of the upstream is too weak: it must allow ECDHE or a longer DH key',
  ERR_SSL_UNEXPECTED_EOF_WHILE_READING: closed,
}

/** How OpenSSL spells the protocol of an alert has changed with its versions. */
const alertPattern = /^ERR_SSL_(?:SSLV3|SSL\/TLS|TLSV1|TLSV13)_(?:ALERT_)?([A-Z_]+)$/

/** What the server said before it hung up. */
const alerts: Readonly<Record<string, string>> = {
  HANDSHAKE_FAILURE: `the upstream demands another client certificate or cipher suite: ${clientCertificate}`,
  CERTIFICATE_REQUIRED: `the upstream demands a client certificate that it knows: ${clientCertificate}`,
  NO_CERTIFICATE: refusedIdentity,
  BAD_CERTIFICATE: refusedIdentity,
  UNSUPPORTED_CERTIFICATE: refusedIdentity,
  CERTIFICATE_UNKNOWN: refusedIdentity,
  UNKNOWN_CA: refusedIdentity,
  ACCESS_DENIED: refusedIdentity,
  DECRYPT_ERROR: refusedIdentity,
  CERTIFICATE_REVOKED:
    'the upstream does not accept our certificate, because it has been revoked: put a new one into the keystore',
  CERTIFICATE_EXPIRED:
    'the upstream does not accept our certificate, because it has expired: put a new one into the keystore',
  PROTOCOL_VERSION: oldTls,
  INSUFFICIENT_SECURITY: noCommonCipher,
  UNRECOGNIZED_NAME: `the upstream does not know the host name that it was called by: ${address}`,
  NO_APPLICATION_PROTOCOL: 'the upstream does not speak HTTP/1.1 on this port',
  INTERNAL_ERROR: 'the upstream ended the TLS handshake with an error of its own: see its log',
}
