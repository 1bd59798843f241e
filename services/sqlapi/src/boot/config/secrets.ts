/**
 * Fields in which somebody may have put a password, and what may be shown of them: nothing that could be one. Pure; whoever
 * writes a message about such a field asks here.
 */
import { nearest } from './nearest.ts'

/** The one field that a password leads to; it holds the name of a variable. */
const field = 'password_env'

/** Ends of names under which passwords stand elsewhere, in the spelling of `fold`. */
const secretName = /(?:pass(?:words?|wd|wort|phrase|code)?|pwd|psw|pw|secrets?|credentials?|token|apikey)$|^password/

export const passwordCure =
  `a password never stands in this file; put it into an environment variable and give the variable's name in ${field} ` +
  'of the datasource, such as CRM_PASSWORD'

/** Whether an unknown field is one for a password, and no misspelled `password_env`. */
export function isSecretField(key: string): boolean {
  const folded = fold(key)
  return secretName.test(folded) && (folded.length < field.length - 2 || nearest(folded, [field]) === undefined)
}

/** A key for messages. What stands behind a word for a password, for want of a colon, is left out. */
export function shownKey(key: string): string {
  if (/^[\w.-]*$/.test(key) || !/pass|pwd|secret|credential/i.test(key)) return key
  return `${/^[\w-]*/.exec(key)?.[0]}…`
}

/** A text that can hardly be a password: names of variables are in capitals. Others may exist, and are not shown. */
export function looksLikeVariable(text: string): boolean {
  return /^[A-Z_][A-Z0-9_]*$/.test(text)
}

/** What is wrong with a `password_env` whose variable is not set. */
export function unsetVariable(name: string): string {
  if (looksLikeVariable(name)) return `environment variable ${name} is not set; set it to the password`
  return `no environment variable is called so (what stands there is not shown, it may be the password itself); ${passwordCure}`
}

function fold(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
