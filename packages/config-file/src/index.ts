export {
  addressText,
  adminSection,
  reloadField,
  requestLogFields,
  shutdownSection,
  toAddress,
  traceEnabled,
} from './operation.ts'
export { parse } from './check.ts'
export type { FileKind, Parsed } from './check.ts'
export { ConfigFileError, findConfigFile, inWords, overlay, readConfigFile, withoutFile } from './config-file.ts'
export type { ConfigFile, Environment, Found, Search, StartEnvironment } from './config-file.ts'
export {
  anyText,
  anything,
  checked,
  expected,
  flag,
  list,
  names,
  oneOf,
  section,
  sections,
  strictText,
  text,
  textOr,
  variableName,
  wholeNumber,
} from './fields.ts'
export type { ValueOf } from './fields.ts'
export { toJsonSchema } from './json-schema.ts'
export { isMapping, Literal, textOf, withoutLiterals } from './yaml/data.ts'
export type { Data, Mapping } from './yaml/data.ts'
export { misspelt, nearest } from './words/nearest.ts'
export { originsOf } from './origins.ts'
export type { Origins } from './origins.ts'
export { locate } from './yaml/places.ts'
export type { Places } from './yaml/places.ts'
export { shownVariable, unsetVariable } from './words/secrets.ts'
export { tellUnknown } from './words/unknown-field.ts'
export { byLine, found, joinProblems, toFieldName } from './words/problem.ts'
export type { Path, Problem } from './words/problem.ts'
export { readYaml, readYamlIn } from './yaml/yaml.ts'
export { limits as yamlLimits, YamlError } from './yaml/document.ts'
export type { Limits as YamlLimits } from './yaml/document.ts'
