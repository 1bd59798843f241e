/**
 * Whether a text names a time zone: the names of the IANA, which both Node.js and PostgreSQL know, and offsets. Pure.
 */

/** PostgreSQL has no greater ones. */
const offset = /^[+-](?:0\d|1[0-5])(?::?[0-5]\d)?$/

/** Other names of three letters are Java's, and Node.js takes them too. */
const shortNames = /^(?:CET|EET|EST|GMT|HST|MET|MST|PRC|ROC|ROK|UCT|UTC|WET)$/i

export function isTimeZone(text: string): boolean {
  if (offset.test(text)) return true
  // Node.js takes offsets too, in forms that mean something else to PostgreSQL.
  if (!/^[a-z]/i.test(text) || (text.length === 3 && !shortNames.test(text))) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
