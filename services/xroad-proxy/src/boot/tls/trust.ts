/**
 * The authorities that servers are verified with: those of the system, or every certificate of a PEM file. Whatever is
 * wrong with the file is reported in words with the way out.
 */
import { X509Certificate } from 'node:crypto'
import { getCACertificates } from 'node:tls'
import { isCertificate, isJks, isPkcs12 } from './formats.ts'
import { type NamedFile, readFile, refuse } from './named-file.ts'

let trusted: string[] | undefined

/**
 * The system's authorities, and those that come with Node or NODE_EXTRA_CA_CERTS: a slim container has no store of its
 * own. The system's list names certificates once for each file and link that holds them.
 */
export function systemTrust(): string[] {
  trusted ??= [...new Set([...getCACertificates('system'), ...getCACertificates('default')])]
  return trusted
}

/** Blocks of a PEM file; OpenSSL writes TRUSTED where it adds what a certificate is trusted for. */
const certificateBlock =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g
const certificateStart = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/g

export function trustedCertificates(path: string): readonly X509Certificate[] {
  return readTrust(path).map((certificate) => new X509Certificate(certificate))
}

/** Every certificate of the file. The TLS library would stop at the first broken one without a word. */
export function readTrust(path: string): string[] {
  const field = 'security_server.trust_ca_path'
  const place: NamedFile = { code: 'trust_ca_load_failed', label: `${field} ${path}`, field }
  const file = readFile(path, place)
  const text = file.toString('latin1')
  const blocks = text.match(certificateBlock) ?? []
  const starts = text.match(certificateStart)?.length ?? 0
  if (starts === 0) refuse(place, `${explainNoCertificate(file, text)}, expected PEM with at least one certificate`)
  const certificates = blocks.map((block) => toCertificate(block))
  const broken = certificates.indexOf(undefined)
  if (broken !== -1) refuse(place, `certificate ${broken + 1} of ${starts} is damaged`)
  if (blocks.length < starts) refuse(place, `a certificate is cut off: ${starts} begin and ${blocks.length} end`)
  return [...new Set(certificates.filter((certificate) => certificate !== undefined))]
}

function toCertificate(block: string): string | undefined {
  try {
    return new X509Certificate(block).toString()
  } catch {
    return undefined
  }
}

function explainNoCertificate(file: Buffer, text: string): string {
  if (file.length === 0) return 'is empty'
  if (isCertificate(file)) return 'is a DER file (convert it: `openssl x509 -inform der -in ca.der -out ca.pem`)'
  if (isPkcs12(file))
    return 'is a PKCS12 file, which is for keystore_path (convert it: `openssl pkcs12 -in ca.p12 -nokeys -out ca.pem`)'
  if (isJks(file))
    return 'is a Java keystore (export from it: `keytool -exportcert -rfc -keystore ca.jks -file ca.pem`)'
  if (text.includes('-----BEGIN PKCS7-----')) {
    return 'is a PKCS7 file (convert it: `openssl pkcs7 -print_certs -in ca.p7b -out ca.pem`)'
  }
  return text.includes('-----BEGIN ') ? 'holds keys or other PEM blocks but no certificate' : 'holds no certificate'
}
