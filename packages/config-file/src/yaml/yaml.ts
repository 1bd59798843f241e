/**
 * YAML text -> plain data: null, text, lists, mappings; numbers and booleans keep the text that they were written as,
 * so that `4.0` and `00123` can still be strings. Whatever is wrong with the text becomes a `YamlError` with line and
 * column. What the data means is for check.ts to decide.
 */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'
import { type Data, Literal, type Mapping } from './data.ts'
import { shownKey } from '../words/secrets.ts'
import { fail, type Limits, limits, offsetOf, readDocument, YamlError } from './document.ts'
import { readPlainYaml } from './plain.ts'
import { gluedCure } from './problem-words.ts'

/** One document with a mapping at its top; a text without any content is the empty mapping. Throws `YamlError`. */
export function readYaml(text: string, most: Limits = limits): Mapping {
  const isLong = text.length > most.characters
  return (isLong ? undefined : readPlainYaml(text)) ?? readAnyYaml(text, most)
}

/** The same of a file: what is wrong is thrown as `toError` has it, whose message begins with file, line and column. */
export function readYamlIn(
  file: string,
  text: string,
  toError: (message: string) => Error,
  most: Limits = limits,
): Mapping {
  try {
    return readYaml(text, most)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    throw toError(error.inFile(file))
  }
}

/** Without the short cut. */
export function readAnyYaml(text: string, most: Limits = limits): Mapping {
  const read = (top: Node | null): Mapping => {
    const data =
      top === null
        ? {}
        : toData(top, { nodes: new Map(), left: most.aliases, most: most.aliases, repeating: 0, values: 0 })
    if (top === null || isMap(top)) return data as Mapping
    if (isScalar(top) && data === null) return {}
    return fail(`expected "field: value" lines at the top of the file${gluedCure(text, offsetOf(top))}`, 0)
  }
  return readDocument(text, read, most)
}

/** Nodes with a name, as far as they have been read, and how often they may still be repeated. */
interface Anchors {
  readonly nodes: Map<string, Node>
  left: number
  readonly most: number
  /** Aliases around what is being read, and all values that aliases have repeated. */
  repeating: number
  values: number
}

/** The bound for all aliases of a text together. */
const maxRepeatedValues = 100_000

function toData(node: unknown, anchors: Anchors): Data {
  if (isAlias(node)) return toRepeated(node, anchors)
  if (anchors.repeating > 0 && ++anchors.values > maxRepeatedValues)
    fail(`aliases that repeat more than ${maxRepeatedValues} values`, offsetOf(node))
  const data = toOwnData(node, anchors)
  // Named only now, so that nothing can repeat what it is in.
  const { anchor } = node as { readonly anchor?: string }
  if (anchor !== undefined) anchors.nodes.set(anchor, node as Node)
  return data
}

function toOwnData(node: unknown, anchors: Anchors): Data {
  if (isScalar(node)) return toScalar(node)
  if (isMap(node)) return toMapping(node, anchors)
  return isSeq(node) ? node.items.map((item) => toItem(item, anchors)) : null
}

/** A field that occurs twice in an item mostly begins the next item, without its dash. */
function toItem(item: unknown, anchors: Anchors): Data {
  const twice = isMap(item) ? repeatedKey(item) : undefined
  if (twice === undefined) return toData(item, anchors)
  return fail(`${tellTwice(twice)}, or begin the next item of the list with "- "`, offsetOf(twice))
}

function repeatedKey({ items }: YAMLMap): Scalar<string | null> | undefined {
  const keys = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar<string | null>(key)) return undefined
    if (keys.has(key.value)) return key
    keys.add(key.value)
  }
  return undefined
}

function tellTwice({ value }: Scalar<string | null>): string {
  return `${JSON.stringify(shownKey(value ?? ''))} occurs twice; keep one`
}

/** A few repetitions of repetitions would otherwise fill the memory. */
function toRepeated(alias: Alias, anchors: Anchors): Data {
  const node = anchors.nodes.get(alias.source)
  if (node === undefined) {
    return fail('an alias without an anchor above it; a text that begins with * needs quotes', offsetOf(alias))
  }
  anchors.left--
  if (anchors.left < 0) fail(`more than ${anchors.most} aliases`, offsetOf(alias))
  anchors.repeating++
  const data = toData(node, anchors)
  anchors.repeating--
  return data
}

function toScalar({ value, source = '' }: Scalar): Data {
  return typeof value === 'number' || typeof value === 'boolean' ? new Literal(source, value) : (value as string | null)
}

function toMapping({ items }: YAMLMap, anchors: Anchors): Mapping {
  const mapping: Record<string, Data> = {}
  for (const { key, value } of items) {
    // Without a key of its own a line such as `: x` has an empty one.
    const name = isScalar<string | null>(key) ? (key.value ?? '') : fail('a key must be a plain text', offsetOf(key))
    if (name === '__proto__') fail('nothing may be called __proto__; choose another name', offsetOf(key))
    if (Object.hasOwn(mapping, name)) fail(tellTwice(key as Scalar<string | null>), offsetOf(key))
    mapping[name] = value === null ? null : toData(value, anchors)
  }
  return mapping
}
