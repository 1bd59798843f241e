/**
 * Fields in which somebody may have put a password, and what may be shown of them: nothing that could be one. Pure.
 * Code that writes a message about such a field asks here.
 */
import { nearest } from './nearest.ts'

/** The one field of a kind of file that a password leads to. It holds the name of a variable. */
export interface PasswordField {
  /** Such as `password_env`. */
  readonly name: string
  /** Where it is, in words: `the datasource`. */
  readonly of: string
  /** A variable as somebody would call it. */
  readonly example: string
}

/** Ends of names under which passwords stand elsewhere, in the spelling of `fold`. */
const secretName = /(?:pass(?:words?|wd|wort|phrase|code)?|pwd|psw|pw|secrets?|credentials?|token|apikey)$|^password/

export function passwordCure({ name, of, example }: PasswordField): string {
  return (
    'a password never belongs in this file; ' +
    `put it into an environment variable and give the variable's name in ${name} of ${of}, such as ${example}`
  )
}

/** Whether an unknown field is one for a password, and no misspelled `field`. */
export function isSecretField(key: string, field: string): boolean {
  const folded = fold(nameOf(key))
  return secretName.test(folded) && (folded.length < field.length - 2 || nearest(folded, [field]) === undefined)
}

/** Whether a text goes on with such a field, as it does where `password:x` is below it without a space. */
export function holdsSecretField(text: string, field: string): boolean {
  return Array.from(text.matchAll(/\s([\w-]+)[:=]\S/g), ([, name = '']) => name).some((name) =>
    isSecretField(name, field),
  )
}

/** A key for messages. What is behind a name for lack of a space or a colon may be a password, and is left out. */
export function shownKey(key: string): string {
  if (/^[\w.-]*$/.test(key)) return key
  return isGlued(key) || /pass|pwd|secret|credential|token/i.test(key) ? `${nameOf(key)}…` : key
}

/** `field:value` and `field=value`, which are one text to YAML. */
export function isGlued(key: string): boolean {
  return /^[\w-]+[:=]\S/.test(key)
}

/** The name of a variable that is not set, for messages. */
export function shownVariable(name: string): string {
  return looksLikeVariable(name) ? name : '…'
}

/** A text that can hardly be a password: names of variables are in capitals. Other names are not shown. */
function looksLikeVariable(text: string): boolean {
  return /^[A-Z_][A-Z0-9_]*$/.test(text)
}

/** The message about a field whose variable is not set, or is empty. */
export function unsetVariable(
  { name, value }: { readonly name: string; readonly value: string | undefined },
  field: PasswordField,
  cure = 'set it to the password',
): string {
  if (value !== undefined) return `environment variable ${name} is empty; ${cure}`
  if (looksLikeVariable(name)) return `environment variable ${name} is not set; ${cure}`
  return `no environment variable has this name (what stands there is not shown, it may be the password itself); ${passwordCure(field)}`
}

function nameOf(key: string): string {
  return /^[\w-]*/.exec(key)?.[0] ?? ''
}

function fold(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
