/**
 * Problems of a template, for its author at boot, and of one rendering of it, for a caller. An error of Handlebars
 * comes in, an error in the words of this service goes out, without any value of a caller.
 */
import { Failure } from '../../errors.ts'
import { findOpenTag, type OpenTag } from './template-scan.ts'

/** `line` counts from 1 in the source of the template. */
export class TemplateSyntaxError extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.name = 'TemplateSyntaxError'
    this.line = line
  }
}

/**
 * Something that the template wants and the values or this service do not give. Holds no value, so callers may see it.
 */
export class RenderError extends Error {}

const ending = 'the template ends before a placeholder or a block is closed'

/** The parser's name of what it met -> what that means for the author. */
const surprises: Readonly<Record<string, string>> = {
  INVALID: 'a placeholder that is not closed, or a character that has no place in one',
  CLOSE: '}} comes too early or closes what {{{ has opened',
  CLOSE_UNESCAPED: '}}} closes what {{ has opened',
  INVERSE: '{{else}} outside a block or twice in one',
  OPEN_INVERSE_CHAIN: '{{else}} outside a block or twice in one',
  OPEN_ENDBLOCK: 'the end of a block that was not opened',
}

/** `source` is the template. */
export function toSyntaxError(error: unknown, source: string): TemplateSyntaxError {
  if (error instanceof RangeError) return new TemplateSyntaxError('blocks stand too deep inside each other', 1)
  const { message, lineNumber } = error as { readonly message: string; readonly lineNumber?: number }
  const line = Number(lineNumber ?? /on line (\d+)/.exec(message)?.[1] ?? 1)
  const token = /, got '(\w+)'$/.exec(message)?.[1]
  if (token === 'EOF') return toEarlyEnd(findOpenTag(source) ?? { line, block: undefined })
  if (token !== undefined) return new TemplateSyntaxError(surprises[token] ?? 'this is not a placeholder', line)
  if (message.startsWith('Lexical error')) return new TemplateSyntaxError('a character that cannot be read', line)
  return new TemplateSyntaxError(message.replace(/ - \d+:\d+$/, ''), line)
}

const maxShownCharacters = 64

function toEarlyEnd({ line, block }: OpenTag): TemplateSyntaxError {
  if (block === undefined) return new TemplateSyntaxError(ending, line)
  const [name = ''] = block.split(/\s/)
  const shown = block.length > maxShownCharacters ? name : block.replaceAll(/\s+/g, ' ')
  return new TemplateSyntaxError(`the block {{#${shown}}} is not closed; {{/${name}}} is missing`, line)
}

/** Complaints of Handlebars whose text comes from the template alone. */
const tellable = [/^Missing helper: "/, /^#\w+ requires exactly one argument/, /^Must pass iterator to #each/]

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const text = error instanceof Error ? error.message : ''
  if (error instanceof RenderError) return new Failure('template_expansion_failed', text)
  // The name of a partial may be a caller's value, so the log does not get this one.
  if (text.startsWith('The partial ')) {
    return new Failure('template_expansion_failed', 'the template uses a partial that it does not define')
  }
  const reason = tellable.some((known) => known.test(text)) ? `: ${text}` : ''
  return new Failure('template_expansion_failed', `the template cannot be rendered${reason}`, { cause: error })
}
