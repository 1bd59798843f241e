/**
 * A SOAP fault in, the error that the caller gets out. By default the caller hears the code and the start of the reason;
 * when the operator exposes faults, all of the reason and the detail too. Who logs the whole fault is not decided here.
 *
 * A code is cut to the same length always: it is a name, and it stands in the message.
 */
import { Failure } from '../../errors.ts'
import type { Fault, Source } from '../../model.ts'

interface Options {
  /** `expose_soap_fault_detail` of the configuration. */
  readonly expose: boolean
  readonly source: Source
}

const maxCharacters = 200
const truncated = '… (truncated)'
/** C0, DEL, C1. */
const controls = /\p{Cc}/gu
const replacement = '\ufffd'

export function toFailure(fault: Fault, { expose, source }: Options): Failure {
  const code = clean(cut(fault.code))
  const string = clean(expose ? fault.string : cut(fault.string))
  const summary = `upstream returned SOAP Fault (${code})`
  const message = expose && string !== '' ? `${summary}: ${string}` : summary
  const detail = expose ? fault.detail : undefined
  return new Failure('upstream_soap_fault', message, { extras: { code, string, source }, detail })
}

/** Counts characters, not halves of surrogate pairs, and looks at no more of them than it keeps. */
function cut(text: string): string {
  let end = 0
  for (let count = 0; count < maxCharacters && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end < text.length ? text.slice(0, end) + truncated : text
}

function clean(text: string): string {
  return text.replaceAll(controls, replacement)
}
