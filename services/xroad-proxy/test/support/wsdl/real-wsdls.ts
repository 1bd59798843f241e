/**
 * WSDL files of real registers, which are not part of the project: those below a folder that a variable names, with
 * the schemas beside them.
 */
import { readdirSync } from 'node:fs'

const variable = 'XROAD_PROXY_REAL_WSDLS'
const named = process.env[variable]

export const realFolder = named ?? ''

/** Why there are none; false where there are some. */
export const withoutRealWsdls: string | false = named === undefined ? `${variable} names no folder` : false

/** Paths below the folder, in order. */
export const realWsdls: readonly string[] = realFiles(/\.wsdl$/)

/** The same of all files with such names. */
export function realFiles(names: RegExp): readonly string[] {
  if (named === undefined) return []
  return readdirSync(named, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .toSorted()
}
