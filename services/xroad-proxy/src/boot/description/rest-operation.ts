/**
 * A REST endpoint in `/api`: what its DSL file says of parameters and bodies, or what the description of its service
 * says. openapi.ts puts it in its place. Pure.
 */
import type { RestEndpoint } from '../../model.ts'
import { parametersOf, parsePathTemplate } from '../../path-template.ts'
import { errorReferences, type Json, references, text } from './openapi-errors.ts'
import type { RestParts } from './openapi-rest.ts'

/** A body has no meaning with these methods, though a caller may send one. */
const bodilessMethods = new Set(['GET', 'HEAD', 'TRACE'])

/** JSON has a line of its own, because viewers offer an editor for it. */
const anyBody = { 'application/json': { schema: {}, example: {} }, '*/*': {} }

/** Those that a caller may send along. */
export const requestHeaders = {
  'X-Road-Id': 'Id of the message; a new UUID if the caller sends none.',
  'X-Road-UserId': 'The user on whose behalf the call is made, passed on as it is.',
  'X-Road-Issue': 'What the call is made for, such as the number of a case; passed on as it is.',
}

/** Some readers of a description take only 200 for a success, others a range; `default` alone is an error to most. */
const passed = { $ref: '#/components/responses/passed' }
const restResponses = { 200: passed, '2XX': passed, ...errorReferences.rest, default: passed }

export function restParts(endpoint: RestEndpoint, method: string, described: RestParts | undefined): Json {
  const { path: url, target, allowedQueryParams, forwardBody, description } = endpoint
  const { memberClass, memberCode, subsystemCode, serviceCode, path } = target
  const passes = `Passes the request to ${[memberClass, memberCode, subsystemCode, serviceCode].join('/')}${path}.`
  const hasBody = forwardBody && !bodilessMethods.has(method)
  if (described !== undefined) {
    return {
      ...(described.summary === undefined ? {} : { summary: described.summary }),
      description: [described.description ?? description, passes].filter(Boolean).join('\n\n'),
      parameters: [
        ...pathParameters(url, described.inPath),
        ...described.parameters,
        ...references('parameters', Object.keys(requestHeaders)),
      ],
      ...described.fields,
    }
  }
  return {
    description: description === undefined ? passes : `${description}\n\n${passes}`,
    parameters: [
      ...pathParameters(url),
      ...queryParameters(allowedQueryParams),
      ...references('parameters', Object.keys(requestHeaders)),
    ],
    ...(hasBody ? { requestBody: { description: 'Passed on as it is.', content: anyBody } } : {}),
    responses: restResponses,
  }
}

function pathParameters(path: string, described?: ReadonlyMap<string, Json>): Json[] {
  const description = 'All segments that are left, with the slashes between them.'
  return parametersOf(parsePathTemplate(path)).map(({ name, takesRest }) => {
    const own = { name, in: 'path', required: true, schema: text }
    return Object.assign(own, takesRest ? { description, 'x-takes-rest': true } : {}, described?.get(name))
  })
}

function queryParameters(allowed: ReadonlySet<string> | undefined): Json[] {
  if (allowed !== undefined) return Array.from(allowed, (name) => ({ name, in: 'query', schema: text }))
  const schema = { type: 'object', additionalProperties: text }
  const description = 'The whole query string is passed on, whatever its keys.'
  return [{ name: 'query', in: 'query', description, style: 'form', explode: true, schema, example: {} }]
}
