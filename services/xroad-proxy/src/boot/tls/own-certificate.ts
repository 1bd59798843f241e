/** A keystore as TLS has loaded it -> the certificate in it that a Security Server is shown. */
import type { X509Certificate } from 'node:crypto'
import { Socket } from 'node:net'
import { type SecureContext, TLSSocket } from 'node:tls'

/**
 * The certificate that belongs to the private key: the TLS library has chosen it, so this is the very one that a
 * Security Server is shown, whatever else a keystore holds. A connection knows it before it is one: nothing is opened
 * here.
 */
export function ownCertificate(secureContext: SecureContext): X509Certificate | undefined {
  const socket = new TLSSocket(new Socket(), { secureContext })
  try {
    return socket.getX509Certificate()
  } finally {
    socket.destroy()
  }
}
