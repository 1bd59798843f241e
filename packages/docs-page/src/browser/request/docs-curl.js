/** A request -> the line for a shell that sends it with curl. Pure. */

/** @typedef {import('../answer/docs-answer.js').Prepared} Prepared */

/**
 * @param {Prepared} request
 * @returns {string}
 */
export function curlLine({ method, url, headers, body }) {
  const isBare = body === undefined || (Array.isArray(body) && body.length === 0)
  const implied = isBare ? 'GET' : 'POST'
  return [
    'curl',
    ...methodArguments(method, implied),
    quote(url),
    ...headers.flatMap(([name, value]) => ['-H', quote(headerArgument(name, value))]),
    ...bodyArguments(body),
  ].join(' ')
}

/**
 * @param {string} method
 * @param {string} implied
 * @returns {readonly string[]}
 */
function methodArguments(method, implied) {
  // With -X HEAD curl would wait for a body.
  if (method === 'HEAD') return ['--head']
  return method === implied ? [] : ['-X', method]
}

/**
 * @param {Prepared['body']} body
 * @returns {readonly string[]}
 */
function bodyArguments(body) {
  if (body === undefined) return []
  // Not --data, which reads a file for a text that begins with @.
  if (typeof body === 'string') return ['--data-raw', quote(body)]
  if (body instanceof File) return ['--data-binary', quote(`@${body.name}`)]
  return body.flatMap(({ name, value }) => {
    // Not -F for texts, to which some signs mean more.
    if (typeof value === 'string') return ['--form-string', quote(`${name}=${value}`)]
    const type = value.type === '' ? '' : `;type=${value.type}`
    return ['-F', quote(`${name}=@"${value.name.replaceAll(/["\\]/g, String.raw`\$&`)}"${type}`)]
  })
}

/**
 * Behind a colon without a value curl would leave the header out.
 *
 * @param {string} name
 * @param {string} value
 * @returns {string}
 */
function headerArgument(name, value) {
  return value === '' ? `${name};` : `${name}: ${value}`
}

/**
 * Between single quotes nothing has a meaning to a POSIX shell but the quote itself.
 *
 * @param {string} text
 * @returns {string}
 */
export function quote(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
