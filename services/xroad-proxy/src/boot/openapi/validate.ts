/**
 * Whether a bundle is OpenAPI 3.0 or 3.1, by the schemas of the specification: nothing, or a `DescriptionError` about
 * the first thing that is wrong, with file, line and the cure. The only file that knows the library with those schemas.
 */
import { Validator } from '@seriousme/openapi-schema-validator'
import { type Data, isMapping, type Mapping, type Path, toFieldName } from '@services/config-file'
import type { Bundle } from './bundle.ts'
import { DescriptionError, type Document, refuse } from './documents.ts'

export type Version = '3.0' | '3.1'

/** By the first document alone: others may not be there yet. */
export function versionOf(document: Document): Version {
  const { openapi, swagger } = document.data
  if (swagger !== undefined) {
    const cure = 'convert it to OpenAPI 3.0, as https://converter.swagger.io does, and save the result'
    return refuse(document, ['swagger'], `swagger: OpenAPI 2.0 cannot be read; ${cure}`)
  }
  if (typeof openapi !== 'string') {
    return refuse(
      document,
      ['openapi'],
      'openapi: missing, expected a version such as 3.0.3 or 3.1.0 in an OpenAPI description',
    )
  }
  const [, version] = /^(3\.[01])(?:\.\d+)?(?:-.*)?$/.exec(openapi) ?? []
  if (version === undefined) {
    return refuse(
      document,
      ['openapi'],
      `openapi: found ${JSON.stringify(openapi.slice(0, 64))}, expected 3.0 or 3.1, such as 3.0.3`,
    )
  }
  return version as Version
}

interface SchemaError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Readonly<Record<string, unknown>>
}

interface Check {
  (data: Mapping): boolean
  readonly errors?: readonly SchemaError[] | null
}

/**
 * References have been followed already, and with lines: only the check against the schema is wanted of the library.
 */
const validator = new Validator({ allErrors: true }) as unknown as { getAjvValidator(version: string): Check }

export function validate(bundle: Bundle, version: Version): void {
  const { data } = bundle
  const check = validator.getAjvValidator(version)
  if (check(data)) return
  const error = mostTelling(check.errors ?? [])
  if (error === undefined) return
  const path = toPath(error.instancePath)
  const key = ['additionalProperties', 'unevaluatedProperties'].includes(error.keyword) ? [keyOf(error)] : []
  const { file, line, path: found } = bundle.locate([...path, ...key])
  const name = toFieldName(found.slice(0, found.length - key.length)) || 'the description'
  throw new DescriptionError(`${file}:${line}: ${name}: ${inWords(error, path, valueAt(data, path))}`)
}

/** What is nested deepest, and not that an object could have been a reference instead. */
function mostTelling(errors: readonly SchemaError[]): SchemaError | undefined {
  const isAside = ({ keyword, params }: SchemaError): boolean =>
    ['oneOf', 'anyOf', 'if', 'not'].includes(keyword) ||
    params['missingProperty'] === '$ref' ||
    keyOf({ params }) === '$ref'
  const depthOf = ({ instancePath }: SchemaError): number => instancePath.split('/').length
  const telling = errors.filter((error) => !isAside(error))
  return (telling.length > 0 ? telling : errors).toSorted((a, b) => depthOf(b) - depthOf(a))[0]
}

function keyOf({ params }: Pick<SchemaError, 'params'>): string {
  const key = params['additionalProperty'] ?? params['unevaluatedProperty'] ?? params['propertyName']
  return typeof key === 'string' ? key : ''
}

function inWords(error: SchemaError, path: Path, value: Data | undefined): string {
  const { keyword, params, message = 'is not as OpenAPI wants it' } = error
  switch (keyword) {
    case 'required':
      return `${String(params['missingProperty'])} is missing; add it`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = JSON.stringify(keyOf(error).slice(0, 64))
      if (path.length === 1 && path[0] === 'paths')
        return `found ${key}, and a path begins with a slash; write "/" in front`
      return `found ${key}, which OpenAPI does not know here; remove it, or begin its name with x-`
    }
    case 'type':
      return `found ${kindOf(value)}, expected ${[params['type']].flat().join(' or ')}${value === null ? '; remove it or fill it in' : quotes(value)}`
    case 'enum':
      return `found ${kindOf(value)}, expected one of ${(params['allowedValues'] as unknown[]).join(', ')}`
    case 'const':
      return `found ${kindOf(value)}, expected ${JSON.stringify(params['allowedValue'])}`
    default:
      return `${message}; correct it`
  }
}

function quotes(value: Data | undefined): string {
  return typeof value === 'number' || typeof value === 'boolean' ? '; a text needs quotes' : ''
}

function kindOf(value: Data | undefined): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a group of fields' : JSON.stringify(value)?.slice(0, 64)
}

function toPath(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function valueAt(data: Data, path: Path): Data | undefined {
  let value: Data | undefined = data
  for (const step of path) {
    value = isMapping(value) || Array.isArray(value) ? (value as Mapping)[String(step)] : undefined
  }
  return value
}
