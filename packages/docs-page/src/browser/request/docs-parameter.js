/** Values of parameters -> the pieces of a path and of a query string, in the styles that OpenAPI has. Pure. */

/** @typedef {import('../description/docs-description.js').Field} Field */

/**
 * The path with the values of its parameters.
 *
 * @param {string} path
 * @param {readonly Field[]} parameters
 * @param {(field: Field) => string} textOf
 * @returns {string}
 */
export function pathOf(path, parameters, textOf) {
  return path.replaceAll(/\{([^{}]*)\}/g, (whole, name) => {
    const field = parameters.find((each) => each.place === 'path' && each.name === name)
    if (field === undefined) return whole
    const segments = field.isWholePath === true ? textOf(field).split('/') : [textOf(field)]
    return segments.map(encode).join('/')
  })
}

/**
 * `name=value`, encoded; none for an empty list.
 *
 * @param {Field} field
 * @param {string} text
 * @returns {readonly string[]}
 */
export function queryPieces({ name, control, style = 'form', isExploded = true }, text) {
  if (control === 'pairs') return readPairs(text).map((pair) => pairPiece(name, style, pair))
  if (control !== 'lines') return [`${encode(name)}=${encode(text)}`]
  const values = linesIn(text).map(encode)
  if (isExploded) return values.map((value) => `${encode(name)}=${value}`)
  return values.length === 0 ? [] : [`${encode(name)}=${values.join(separators[style] ?? ',')}`]
}

/** @type {Readonly<Record<string, string>>} */
const separators = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** @typedef {readonly [key: string, value: string | undefined]} Pair */

/**
 * @param {string} text
 * @returns {readonly Pair[]}
 */
function readPairs(text) {
  return linesIn(text).map((line) => {
    const at = line.indexOf('=')
    return at < 0 ? [line, undefined] : [line.slice(0, at), line.slice(at + 1)]
  })
}

/**
 * @param {string} name
 * @param {string} style
 * @param {Pair} pair
 * @returns {string}
 */
function pairPiece(name, style, [key, value]) {
  const shown = style === 'deepObject' ? `${encode(name)}[${encode(key)}]` : encode(key)
  return value === undefined ? shown : `${shown}=${encode(value)}`
}

/**
 * @param {string} text
 * @returns {readonly string[]}
 */
export function linesIn(text) {
  return text.split('\n').filter((line) => line !== '')
}

/**
 * Only what stands for itself in a query string stays as it is; a single quote would make the curl line hard to read.
 *
 * @param {string} text
 * @returns {string}
 */
function encode(text) {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27')
}
