/**
 * A path with parameters, `/v1/companies/{id}`: its text -> segments, or what is wrong with it; and what is made of it
 * again. `{name}` stands for one segment or a part of one, `{name+}` at the end for all segments that are left. Pure.
 *
 * Says nothing of the texts between the parameters, nor of what a caller sends for them: that is serve/paths/.
 */

export interface Parameter {
  readonly name: string
  readonly takesRest: boolean
}

/**
 * Texts and parameters in turn; no text is empty, and no two parameters touch. A segment without content has no piece.
 */
export type Segment = readonly (string | Parameter)[]
export type PathTemplate = readonly Segment[]

/** Ends a sentence that begins with where the path is. */
export class PathTemplateError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PathTemplateError'
  }
}

/** Empty, or with a slash in front. Throws `PathTemplateError`. */
export function parsePathTemplate(path: string): PathTemplate {
  const template = path.split('/').slice(1).map(parseSegment)
  const parameters = parametersOf(template)
  const twice = parameters.find(({ name }, at) => parameters.findIndex((other) => other.name === name) !== at)
  if (twice !== undefined)
    throw new PathTemplateError(`found the parameter ${shown(twice)} twice; give each its own name`)
  for (const [at, segment] of template.entries()) {
    const rest = segment.find((piece) => typeof piece !== 'string' && piece.takesRest) as Parameter | undefined
    if (rest === undefined || (at === template.length - 1 && segment.length === 1)) continue
    const cure = `write {${rest.name}} for one segment`
    throw new PathTemplateError(
      `found ${shown(rest)}, which takes all that is left and has to be the last segment; ${cure}`,
    )
  }
  return template
}

const pieces = /\{([^{}]*)\}|([^{}]+)|[{}]/g

function parseSegment(text: string): Segment {
  const found: (string | Parameter)[] = []
  for (const [piece, name, literal] of text.matchAll(pieces)) {
    if (literal !== undefined) found.push(literal)
    else if (name === undefined)
      throw new PathTemplateError(`found a lone ${piece}; as itself it is ${encodeURIComponent(piece)}`)
    else found.push(parseParameter(name, found.at(-1)))
  }
  return found
}

function parseParameter(given: string, before: string | Parameter | undefined): Parameter {
  const takesRest = given.endsWith('+')
  const parameter = { name: takesRest ? given.slice(0, -1) : given, takesRest }
  if (parameter.name === '') throw new PathTemplateError(`found {${given}}; a parameter needs a name, such as {id}`)
  if (typeof before === 'object') {
    throw new PathTemplateError(`found ${shown(before)}${shown(parameter)}; a text has to part them, or a slash`)
  }
  return parameter
}

function shown({ name, takesRest }: Parameter): string {
  return `{${name}${takesRest ? '+' : ''}}`
}

export function parametersOf(template: PathTemplate): readonly Parameter[] {
  return template.flat().filter((piece) => typeof piece !== 'string')
}

/** The path of which each parameter is a segment of its own, in order: `/{id}/{year}`. */
export function toParameterPath(template: PathTemplate): string {
  return parametersOf(template)
    .map((parameter) => `/${shown(parameter)}`)
    .join('')
}

/** The same for two templates that fit the same paths: without the names. */
export function shapeOf(template: PathTemplate): string {
  const shapeOfPiece = (piece: string | Parameter): string => {
    if (typeof piece === 'string') return piece
    return piece.takesRest ? '{+}' : '{}'
  }
  return template.map((segment) => `/${segment.map(shapeOfPiece).join('')}`).join('')
}

/** The texts before, between and behind the parameters: one more than there are parameters. */
export function textsAround(template: PathTemplate): readonly string[] {
  const texts = ['']
  const append = (text: string): void => void (texts[texts.length - 1] += text)
  for (const segment of template) {
    append('/')
    for (const piece of segment) {
      if (typeof piece === 'string') append(piece)
      else texts.push('')
    }
  }
  return texts
}

/** Those texts with a value in each gap. */
export function fillIn(texts: readonly string[], values: readonly string[]): string {
  let path = texts[0] as string
  for (const [at, value] of values.entries()) path += value + (texts[at + 1] as string)
  return path
}
