/**
 * A source file -> its mutants: each is the file with one small change that the tests should notice. Types are not
 * among them: Node blanks them out and keeps every position, so lines and columns are those of the file.
 */
import { stripTypeScriptTypes } from 'node:module'
import { type Node, parse } from 'acorn'

export interface Mutant {
  /** Position in the file, both from 1. */
  readonly line: number
  readonly column: number
  /** Offset of what runs before the change makes a difference. */
  readonly at: number
  readonly was: string
  readonly becomes: string
  /** The whole file with the change, as JavaScript. */
  readonly source: string
}

interface Change {
  readonly at: number
  readonly start: number
  readonly end: number
  readonly becomes: string
}

/** A node of the tree, with the fields that some kind of it has. */
interface Any extends Node {
  readonly operator: string
  readonly prefix: boolean
  readonly left: Any
  readonly right: Any
  readonly argument: Any | null
  readonly test: Any | null
  readonly expression: Any
  readonly value: unknown
  readonly raw: string
  readonly regex?: object
  readonly elements: readonly (Any | null)[]
  readonly quasis: readonly Any[]
  readonly callee: Any
  readonly property: Any
  readonly computed: boolean
  readonly name: string
  readonly directive?: string
}

export function mutantsOf(typescript: string): Mutant[] {
  const source = stripTypeScriptTypes(typescript)
  return changesIn(read(source) as Any, source)
    .toSorted((a, b) => a.start - b.start)
    .map(({ at, start, end, becomes }) => {
      const before = source.slice(0, start)
      return {
        line: before.split('\n').length,
        column: start - before.lastIndexOf('\n'),
        at,
        was: source.slice(start, end),
        becomes,
        source: before + becomes + source.slice(end),
      }
    })
    .filter((mutant) => isProgram(mutant.source))
}

function read(source: string): Node {
  return parse(source, { ecmaVersion: 'latest', sourceType: 'module' })
}

/** `a ?? b ?? c` with `&&` in it is not a program. */
function isProgram(source: string): boolean {
  try {
    read(source)
    return true
  } catch {
    return false
  }
}

const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '++': ['--'],
  '--': ['++'],
  '+=': ['-='],
  '-=': ['+='],
  '&=': ['|='],
  '|=': ['&='],
  '??=': ['='],
  '||=': ['='],
}

const methods: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  push: 'unshift',
  shift: 'pop',
  pop: 'shift',
}

const isOpaque = /^(?:Import|Export(?:All|Named)Declaration$)/

function changesIn(node: Any, source: string): Change[] {
  if (isOpaque.test(node.type) && !('declaration' in node && node.declaration)) return []
  return [...changesOf(node, source), ...childrenOf(node).flatMap((child) => changesIn(child, source))]
}

/** Names of members and keys are not values, and the annotation of an import is not ours to change. */
function childrenOf(node: Any): Any[] {
  return Object.entries(node).flatMap(([field, value]: [string, unknown]) => {
    if (field === 'key' && !node.computed) return []
    return (Array.isArray(value) ? value : [value]).filter(isNode)
  })
}

function isNode(value: unknown): value is Any {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** The changes of a node itself, without those of the nodes in it. */
function changesOf(node: Any, source: string): Change[] {
  const whole = (becomes: string): Change => change(node, becomes)
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return operatorOf(node, source, node.left.end, node.right.start)
    case 'UpdateExpression': {
      const argument = node.argument as Any
      return node.prefix
        ? operatorOf(node, source, node.start, argument.start)
        : operatorOf(node, source, argument.end, node.end)
    }
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-' ? [whole(`(${textOf(node.argument as Any, source)})`)] : []
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map((becomes) => change(node.test as Any, becomes))
    case 'WhileStatement':
    case 'ForStatement':
      return node.test === null || node.test.type === 'Literal' ? [] : [change(node.test, 'false')]
    case 'ExpressionStatement':
      return node.directive === undefined ? [whole(';')] : []
    case 'BreakStatement':
    case 'ContinueStatement':
      return [whole(';')]
    case 'ReturnStatement':
      return node.argument === null ? [whole(';')] : []
    case 'Literal':
      return literalsFor(node).map(whole)
    case 'TemplateLiteral':
      return node.quasis.every((quasi) => quasi.start === quasi.end) ? [] : [whole('``')]
    case 'ArrayExpression':
      return node.elements.length > 0 ? [whole('[]')] : []
    case 'MemberExpression':
      return node.computed || node.property.type !== 'Identifier'
        ? []
        : [methods[node.property.name] ?? []].flat().map((becomes) => change(node.property, becomes))
    default:
      return []
  }
}

function operatorOf(node: Any, source: string, from: number, to: number): Change[] {
  const start = source.indexOf(node.operator, from)
  if (start < 0 || start >= to) return []
  return (operators[node.operator] ?? []).map((becomes) => ({
    at: node.start,
    start,
    end: start + node.operator.length,
    becomes,
  }))
}

function literalsFor({ value, raw, regex }: Any): string[] {
  if (typeof value === 'boolean') return [String(!value)]
  if (typeof value === 'string') return [value === '' ? "'mutant'" : "''"]
  if (typeof value === 'number') return [`(${raw} + 1)`]
  if (typeof value === 'bigint') return [`(${raw} + 1n)`]
  return regex === undefined ? [] : ['/(?!)/']
}

function change({ start, end }: Any, becomes: string): Change {
  return { at: start, start, end, becomes }
}

function textOf({ start, end }: Any, source: string): string {
  return source.slice(start, end)
}
