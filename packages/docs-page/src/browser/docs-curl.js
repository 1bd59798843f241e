/** A request -> the line for a shell that sends it with curl. Pure. */

/** @typedef {import('./docs-request.js').Prepared} Prepared */

/**
 * @param {Prepared} request
 * @returns {string}
 */
export function curlLine({ method, url, headers, body }) {
  const implied = body === undefined ? 'GET' : 'POST'
  return [
    'curl',
    ...(method === implied ? [] : ['-X', method]),
    quote(url),
    ...headers.flatMap(([name, value]) => ['-H', quote(headerArgument(name, value))]),
    // Not --data, which reads a file for a text that begins with @.
    ...(body === undefined ? [] : ['--data-raw', quote(body)]),
  ].join(' ')
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
