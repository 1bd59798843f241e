/**
 * What the header `Host` may say (RFC 9110, 7.2): a name or an address, with or without a port, or nothing. A proxy
 * that joins two of them to one sends something else, and nobody can tell which of the two others have believed.
 */

const pattern = /^(?:\[[\w.:%~!$&'()*+,;=-]+\]|[\w.%~!$&'()*+,;=-]*)(?::\d*)?$/

export function canBeHost(value: string): boolean {
  return pattern.test(value)
}
