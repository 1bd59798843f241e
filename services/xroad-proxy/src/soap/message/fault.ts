/**
 * A SOAP fault in, the error that the caller gets out. By default the caller hears the code and the start of the
 * reason; when the operator exposes faults, the reason as far as the log has it, and the detail. Does not log the
 * fault.
 *
 * A code is always cut to the shorter length: it is a name, and part of the message.
 */
import { Failure } from '../../errors.ts'
import type { Fault, FailureSource } from '../../model.ts'

interface Options {
  /** `expose_soap_fault_detail` of the configuration. */
  readonly expose: boolean
  readonly source: FailureSource
}

const maxCharacters = 200
/**
 * Of a reason that is exposed; the log cuts there as well. It is in a reply twice, and each character is looked at.
 */
const maxExposedCharacters = 65_536
const truncated = '… (truncated)'
/** C0, DEL, C1. */
const controls = /\p{Cc}/gu
const replacement = '\ufffd'

export function toFailure(fault: Fault, { expose, source }: Options): Failure {
  const code = clean(cut(fault.code, maxCharacters))
  const string = clean(cut(fault.string, expose ? maxExposedCharacters : maxCharacters))
  const summary = `upstream returned SOAP Fault (${code})`
  const message = expose && string !== '' ? `${summary}: ${string}` : summary
  const detail = expose ? fault.detail : undefined
  return new Failure('upstream_soap_fault', message, { extras: { code, string, source }, detail })
}

/** Counts characters, not halves of surrogate pairs, and looks at no more of them than it keeps. */
function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  let end = 0
  for (let count = 0; count < maxCharacters && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end < text.length ? text.slice(0, end) + truncated : text
}

function clean(text: string): string {
  return text.replaceAll(controls, replacement)
}
