/**
 * Where a REST file has its operations from: `method`, `methods`, or an OpenAPI description in `openapi`; exactly one
 * of the three. The data of the file comes in, what is wrong goes out. What each field may hold is in dsl-schema.ts.
 */
import { type Data, isMapping, type Mapping, type Problem } from '@services/config-file'

export function operationProblems(data: Mapping): readonly Problem[] {
  if (isGiven(data['openapi'])) return besideDescription(data)
  const { method, methods } = data
  if (isGiven(method) && isGiven(methods)) {
    return [{ path: ['methods'], message: 'cannot be combined with method; keep one of the two' }]
  }
  if (Array.isArray(methods) && methods.length === 0) {
    return [{ path: ['methods'], message: 'found an empty list, expected HTTP methods such as [GET, POST]' }]
  }
  if (isGiven(method) || isGiven(methods)) return []
  if (methods === null) return [{ path: ['methods'], message: 'left empty, expected HTTP methods such as [GET, POST]' }]
  const found = method === null ? 'left empty' : 'missing'
  const expected = 'an HTTP method such as POST, or methods with a list of them'
  return [{ path: ['method'], message: `${found}, expected ${expected}` }]
}

function besideDescription({ method, methods, target = null }: Mapping): Problem[] {
  const path = isMapping(target) ? target['path'] : undefined
  const fields: readonly (readonly [Problem['path'], Data | undefined])[] = [
    [['method'], method],
    [['methods'], methods],
    [['target', 'path'], path],
  ]
  return fields
    .filter(([, value]) => isGiven(value))
    .map(([path]) => ({
      path,
      message: 'cannot be combined with openapi, whose description has the methods and paths; remove it',
    }))
}

function isGiven(value: Data | undefined): boolean {
  return value !== undefined && value !== null
}
