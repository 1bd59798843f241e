/**
 * A contract -> a check of requests: the JSON object of a caller comes in, what is wrong with it goes out, at most 100
 * problems with the path of their param and never a value. What passes makes an envelope that is valid by the types
 * that the contract was made of.
 *
 * A value counts as given where the conditions of the envelope's template count it (soap/request/presence.ts): null and
 * an empty list are not. Of branches that are not given nothing is missed.
 */
import { maxProblems, type RequestProblem } from '../../errors.ts'
import type { ValidationMode } from '../../model.ts'
import { finish, type Steps } from '../../steps.ts'
import { tellMissing } from './choices.ts'
import { type CompiledContracts, namesIn } from './compiled-contracts.ts'
import type { AnyNode, ChoiceNode, ContractNode, FlagNode, ListNode, ObjectNode, Scope, TextNode } from './contract.ts'
import { type Effort, maxEffort } from './pattern/automaton.ts'
import { isFile, isObject, isXmlText, type JsonObject, kindOf, toText, valueOf } from './values.ts'
import { count, cut, toShown } from './words.ts'

/** The known name that was probably meant. */
export type Nearest = (name: string, known: readonly string[]) => string | undefined

/** No problems for a request that fits. */
export type RequestCheck = (document: JsonObject) => readonly RequestProblem[]
export type RequestCheckInSteps = (document: JsonObject) => Steps<readonly RequestProblem[]>

/** How requests of an endpoint are checked. */
export interface Validation {
  readonly mode: Exclude<ValidationMode, 'off'>
  readonly check: RequestCheckInSteps
  /** Params that are true or false, which forms can only say as texts. */
  readonly flags?: ReadonlySet<string>
}

/** Does all of it at once. */
export function toRequestCheck(contracts: CompiledContracts, root: number, nearest: Nearest): RequestCheck {
  const check = toRequestCheckInSteps(contracts, root, nearest)
  return (document) => finish(check(document))
}

/** `root` is the scope of the body. */
export function toRequestCheckInSteps(
  contracts: CompiledContracts,
  root: number,
  nearest: Nearest,
): RequestCheckInSteps {
  const scope = contracts.scopeOf(root)
  return (document) => new Check(contracts, nearest).run(scope, document)
}

/** Nodes of a contract that are looked at between two pauses: a union of dates takes several microseconds. */
const stepNodes = 20_000

/** A list whose items from here on have not been looked at. */
interface Rest {
  readonly node: ListNode
  readonly items: readonly unknown[]
  readonly from: number
  readonly param: string
}

class Check {
  readonly problems: RequestProblem[] = []
  readonly #contracts: CompiledContracts
  readonly #nearest: Nearest
  readonly #effort: Effort = { left: maxEffort }
  #hints = 0
  /** In this step. */
  #nodes = 0
  readonly #rests: Rest[] = []

  constructor(contracts: CompiledContracts, nearest: Nearest) {
    this.#contracts = contracts
    this.#nearest = nearest
  }

  *run(scope: Scope, document: JsonObject): Steps<readonly RequestProblem[]> {
    this.#scope(scope, document, '')
    for (let rest = this.#rests.pop(); rest !== undefined; rest = this.#rests.pop()) {
      if (this.problems.length >= maxProblems) break
      yield
      this.#nodes = 0
      this.#items(rest)
    }
    return this.problems
  }

  #scope(scope: Scope, object: JsonObject, path: string): void {
    for (const node of scope) this.#node(node, object, path)
    const names = this.#contracts.namesOf(scope)
    for (const key of Object.keys(object)) {
      if (this.problems.length >= maxProblems) return
      if (!names.has(key)) this.#unknown(key, names, path)
    }
  }

  /** Whether anything is given. */
  #node(node: ContractNode, object: JsonObject, path: string): boolean {
    this.#nodes++
    switch (node.kind) {
      case 'text':
        return this.#text(node, object, path)
      case 'flag':
        return this.#flag(node, object, path)
      case 'list':
        return this.#list(node, object, path)
      case 'object':
        return this.#object(node, object, path)
      case 'group':
        return this.#group(node.nodes, object, path)
      case 'choice':
        return this.#choice(node, object, path)
      case 'any':
        return this.#any(node, object, path)
    }
  }

  #text(node: TextNode, object: JsonObject, path: string): boolean {
    const value = valueOf(object, node.name)
    if (value === undefined || value === null) {
      if (value === null && node.isNillable === true) return true
      if (node.isRequired === true) this.#missing(path + node.name, value, this.#contracts.checkOf(node.type).wanted)
      return false
    }
    const param = path + node.name
    this.#value(value, node, param)
    return !(Array.isArray(value) && value.length === 0)
  }

  /** A value that becomes one text. */
  #value(
    value: unknown,
    { type, fixed, isAttribute }: Pick<TextNode, 'type' | 'fixed' | 'isAttribute'>,
    param: string,
  ): void {
    const check = this.#contracts.checkOf(type)
    // A file of a form: those stand only where the template attaches something.
    if (isFile(value)) return
    const text = toText(value, check)
    if (text === undefined) return this.#add(param, `found ${kindOf(value)}, expected ${check.wanted}`)
    if (!isXmlText(text)) {
      return this.#add(param, 'found a character that XML forbids, expected text without control characters')
    }
    const sent = isAttribute === true || !text.includes('\r') ? text : text.replaceAll(/\r\n?/g, '\n')
    const wanted = check.problemOf(sent, this.#effort)
    if (wanted !== undefined) return this.#add(param, `expected ${wanted}`)
    if (fixed !== undefined && check.canonical(sent) !== check.canonical(fixed)) {
      this.#add(param, `expected ${JSON.stringify(cut(fixed))}, the only value that is allowed`)
    }
  }

  /** The template takes it for given whatever it is, and writes the element for what is true. */
  #flag({ name, isBranch }: FlagNode, object: JsonObject, path: string): boolean {
    const value = valueOf(object, name)
    if (value === undefined || value === null) return false
    if (isBranch === true && value !== true) this.#add(path + name, 'expected true, or nothing at all')
    else if (typeof value !== 'boolean') this.#add(path + name, `found ${kindOf(value)}, expected true or false`)
    return true
  }

  #list(node: ListNode, object: JsonObject, path: string): boolean {
    const value = valueOf(object, node.name)
    const param = path + node.name
    const { isRequired, min = 0, max = Infinity } = node
    if (value === undefined || value === null) {
      if (isRequired === true) this.#missing(param, value, this.#wantedOf(node))
      return false
    }
    // The template repeats for a single value as for a list of one.
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (items.length === 0 && isRequired !== true) return false
    if (items.length < min) this.#add(param, `expected at least ${count(min, 'item')}`)
    if (items.length > max) this.#add(param, `expected at most ${count(max, 'item')}`)
    if (Array.isArray(value)) this.#items({ node, items, from: 0, param })
    else this.#item(node, value, param)
    return items.length > 0
  }

  /** A list that was given is never taken back, so that what is left of it may wait for the next step. */
  #items({ node, items, from, param }: Rest): void {
    for (let index = from; index < items.length; index++) {
      if (this.problems.length >= maxProblems) return
      if (this.#nodes >= stepNodes) return void this.#rests.push({ node, items, from: index, param })
      this.#nodes++
      this.#item(node, items[index], `${param}[${index}]`)
    }
  }

  #item(node: ListNode, item: unknown, param: string): void {
    if (item === null && node.isNillable === true) return
    if (node.scope !== undefined) {
      if (!isObject(item)) return this.#add(param, `found ${kindOf(item)}, expected an object`)
      return this.#scope(this.#contracts.scopeOf(node.scope), item, `${param}.`)
    }
    if (node.type === undefined) return
    const { type, fixed } = node
    this.#value(item, fixed === undefined ? { type } : { type, fixed }, param)
  }

  #wantedOf({ scope, type }: ListNode): string {
    if (scope !== undefined) return 'a list of objects'
    return type === undefined ? 'a list' : `a list, each item ${this.#contracts.checkOf(type).wanted}`
  }

  #object(node: ObjectNode, object: JsonObject, path: string): boolean {
    const value = valueOf(object, node.name)
    const param = path + node.name
    if (value === undefined || value === null) {
      if (node.isRequired === true) this.#missing(param, value, 'an object')
      return value === null && node.isNillable === true
    }
    if (isObject(value)) this.#scope(this.#contracts.scopeOf(node.scope), value, `${param}.`)
    else this.#add(param, `found ${kindOf(value)}, expected an object`)
    return true
  }

  /** Nothing of it can be missing unless something of it is given. */
  #group(nodes: readonly ContractNode[], object: JsonObject, path: string): boolean {
    const before = this.problems.length
    const isGiven = this.#all(nodes, object, path)
    if (!isGiven) this.problems.length = before
    return isGiven
  }

  #all(nodes: readonly ContractNode[], object: JsonObject, path: string): boolean {
    let isGiven = false
    for (const node of nodes) if (this.#node(node, object, path)) isGiven = true
    return isGiven
  }

  #choice({ branches, isRequired }: ChoiceNode, object: JsonObject, path: string): boolean {
    let given: readonly ContractNode[] | undefined
    for (const branch of branches) {
      const before = this.problems.length
      if (!this.#all(branch, object, path)) this.problems.length = before
      else if (given === undefined) given = branch
      else {
        const [name, other] = [this.#given(branch, object), this.#given(given, object)]
        this.#add(path + name, `cannot stand beside ${other}; give only one of the two`)
      }
    }
    if (given === undefined && isRequired === true) this.#addChoice(branches, path)
    return given !== undefined
  }

  #addChoice(branches: ChoiceNode['branches'], path: string): void {
    const named = branches.map((branch) => ({ params: branch.flatMap(namesIn) }))
    this.#add(path + (named[0]?.params[0] ?? ''), tellMissing(named))
  }

  /** The first name of a branch that the caller gave. */
  #given(nodes: readonly ContractNode[], object: JsonObject): string {
    const names = namesIn({ kind: 'group', nodes })
    return names.find((name) => valueOf(object, name) !== undefined) ?? names[0] ?? ''
  }

  #any({ name, isRequired, is }: AnyNode, object: JsonObject, path: string): boolean {
    const value = valueOf(object, name)
    const wanted = is === undefined ? 'a value' : words[is]
    if (value === undefined || value === null) {
      if (isRequired === true) this.#missing(path + name, value, wanted)
      return false
    }
    const fits = is === undefined || (is === 'array' ? Array.isArray(value) : isObject(value))
    if (!fits) this.#add(path + name, `found ${kindOf(value)}, expected ${wanted}`)
    return true
  }

  #unknown(key: string, names: ReadonlySet<string>, path: string): void {
    // Finding a name costs more than all else; a caller with more of them than this finds the pattern alone.
    this.#hints++
    const meant = this.#hints > maxHints ? undefined : this.#nearest(key, [...names])
    this.#add(path + key, `unknown; ${meant === undefined ? 'leave it out' : `did you mean ${meant}?`}`)
  }

  #missing(param: string, value: unknown, wanted: string): void {
    this.#add(param, `${value === null ? 'found null' : 'missing'}, expected ${wanted}`)
  }

  #add(param: string, problem: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ param: toShown(param), problem })
  }
}

const maxHints = 5

const words = { array: 'a list', object: 'an object' }
