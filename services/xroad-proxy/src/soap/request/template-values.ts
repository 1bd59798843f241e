/**
 * The values of one call as a template sees them, and what must not be in the envelope that was made of them: an
 * object or a list where text belongs, and characters that XML forbids.
 */
import type { Generated, TemplateFile, TemplateValue, TemplateValues } from '../../model.ts'
import { isFile } from './attachments.ts'
import { RenderError } from './template-errors.ts'

/**
 * What is in the envelope instead of an object, a list or a file, which would otherwise come out as `[object
 * Object]` or joined by commas. No envelope with this character is sent, so it need not be unique. It cannot throw
 * instead, because Handlebars compares objects with texts on its way.
 */
function toMark(name: string): string {
  return `\0${name}\0`
}

/** The prototype of what is not text. */
function marking(name: string): object {
  const mark = toMark(name)
  return Object.create(null, { [Symbol.toPrimitive]: { value: () => mark } }) as object
}

const root = marking('this')
const generate = marking('generate')

export function toContext(values: TemplateValues, generated: Generated): object {
  const context = Object.create(root) as Record<string, unknown>
  Object.assign(context, values)
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (typeof value === 'object' && value !== null) context[name] = guard(value, marking(name))
  }
  context['generate'] = Object.assign(Object.create(generate) as object, generated)
  return context
}

/** Where a stand-in for a file keeps it: out of the reach of templates. */
const file = Symbol('file')

/** The file that a value of a template stands for, or the value itself. */
export function unwrap(value: unknown): unknown {
  return typeof value === 'object' && value !== null && file in value ? value[file] : value
}

function standIn(value: TemplateFile, prototype: object): object {
  return Object.create(prototype, { [file]: { value } }) as object
}

function guard(value: TemplateValue, prototype: object): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isFile(value)) return standIn(value, prototype)
  if (Array.isArray(value)) {
    return Object.setPrototypeOf(
      value.map((element: TemplateValue) => guard(element, prototype)),
      prototype,
    )
  }
  const copy = Object.create(prototype) as Record<string, unknown>
  for (const [key, inner] of Object.entries(value)) copy[key] = guard(inner, prototype)
  return copy
}

/** What XML 1.0 has no place for, besides halves of surrogate pairs. */
// oxlint-disable-next-line no-control-regex -- exactly these
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const scalars = 'a string, a number, true or false'

/** Throws `RenderError` for an envelope that must not be sent. */
export function refuseUnsendable(envelope: string, values: TemplateValues): void {
  if (envelope.isWellFormed() && !forbidden.test(envelope)) return
  const marked = ['this', 'generate', ...Object.keys(values)].find((name) => envelope.includes(toMark(name)))
  if (marked === undefined) throw new RenderError('the envelope would hold a character that XML forbids')
  if (isFile(values[marked])) throw new RenderError(`'${marked}' is a file, where text belongs`)
  const value = values[marked]
  const found =
    value === undefined ? '' : `; found ${Array.isArray(value) ? 'a list' : 'an object'}, expected ${scalars}`
  throw new RenderError(`'${marked}' is an object or a list, or holds one, where text belongs${found}`)
}
