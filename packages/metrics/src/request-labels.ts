/** Labels that the requests of every service have: few values, whatever clients send. */

/** Of requests that reached no endpoint. */
export const noEndpoint = 'none'

const otherMethod = 'other'
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function methodLabel(method: string): string {
  return methods.has(method) ? method : otherMethod
}
