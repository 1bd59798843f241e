/**
 * Where each value of a loaded configuration comes from. Together with the value, which is plain and frozen, it is all
 * that a reload needs in order to say what has changed and where.
 */
import { entryOf, type FileKind, hasDefault, itemOf, shapeOf } from './check.ts'
import { type ConfigFile, originOf } from './config-file.ts'
import { isMapping, type Mapping } from './yaml/data.ts'
import { type Path, toFieldName } from './words/problem.ts'

/** Names of fields, as the file spells them -> `proxy.yaml:3`, the name of a variable, or `default`. */
export type Origins = Readonly<Record<string, string>>

/** Covers every field that has a value, and each entry of a map, but no groups. `file` must be valid. */
export function originsOf({ fields }: FileKind, file: ConfigFile): Origins {
  return Object.freeze(Object.fromEntries(ofGroup(shapeOf(fields), file.data, [], file)))
}

type Shape = ReturnType<typeof shapeOf>
type Entry = readonly [field: string, origin: string]

function ofGroup(shape: Shape, data: unknown, at: Path, file: ConfigFile): Entry[] {
  const given = (data ?? {}) as Mapping
  return Object.entries(shape).flatMap(([name, field]) => {
    const path = [...at, name]
    const value = given[name] ?? undefined
    if (value === undefined && !hasDefault(field)) return []
    const item = itemOf(field)
    if (item !== undefined && isGroup(item) && Array.isArray(value)) {
      return value.flatMap((element, index) => ofGroup(shapeOf(item), element, [...path, index], file))
    }
    const entry = entryOf(field)
    if (entry !== undefined && isGroup(entry) && isMapping(value)) {
      return Object.entries(value).flatMap(([key, element]) => ofGroup(shapeOf(entry), element, [...path, key], file))
    }
    const keys = entry !== undefined && isMapping(value) ? Object.keys(value) : []
    if (isGroup(field)) return ofGroup(shapeOf(field), value, path, file)
    const own: Entry = [toFieldName(path), value === undefined ? 'default' : originOf(file, path)]
    return [own].concat(keys.map((key) => ofKey([...path, key], file)))
  })
}

function ofKey(path: Path, file: ConfigFile): Entry {
  return [toFieldName(path), originOf(file, path)]
}

function isGroup(field: Shape[string]): boolean {
  return Object.keys(shapeOf(field)).length > 0
}
