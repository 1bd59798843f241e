/**
 * The syntax tree of a template -> the params that are attachments: those that `swa_ref`, `xop_include` or `mime_part`
 * takes, as they are or as items of a list. A value deeper inside a param is an attachment as well, but its param is an
 * object then, and not in the result.
 */
import { attachmentHelpers } from './attachments.ts'

/** Whether there may be a call of one of the helpers: a no saves the parser. */
export function mayAttach(source: string): boolean {
  return attachmentHelpers.some((name) => source.includes(name))
}

const helpers: ReadonlySet<unknown> = new Set(attachmentHelpers)
/** Helpers whose block has another `this`: an item, or the value itself. */
const entering: ReadonlySet<unknown> = new Set(['each', 'each_value', 'with'])

/** What `this` is: the object of all params, a param or an item of it, or something that has no name here. */
type Scope = { readonly param: string | undefined } | 'params'

/** Undefined where nothing is attached. */
export function findAttached(program: hbs.AST.Program): readonly string[] | undefined {
  const found = new Set<string | undefined>()
  walk(program, ['params'], found)
  return found.size === 0 ? undefined : [...found].filter((param) => param !== undefined)
}

function walk(program: hbs.AST.Program | undefined, scopes: readonly Scope[], found: Set<string | undefined>): void {
  for (const statement of program?.body ?? []) {
    if (statement.type === 'MustacheStatement') take(statement as hbs.AST.MustacheStatement, scopes, found)
    if (statement.type !== 'BlockStatement') continue
    const block = statement as hbs.AST.BlockStatement
    const [value] = block.params
    const isEntering = value !== undefined && entering.has(nameOf(block.path))
    walk(block.program, isEntering ? [...scopes, { param: paramOf(value, scopes) }] : scopes, found)
    walk(block.inverse, scopes, found)
  }
}

function take(
  { path, params }: hbs.AST.MustacheStatement,
  scopes: readonly Scope[],
  found: Set<string | undefined>,
): void {
  const [value] = params
  if (value === undefined || !helpers.has(nameOf(path))) return
  found.add(paramOf(value, scopes))
}

/** The param that a path leads to; undefined for what is inside one. */
function paramOf(value: hbs.AST.Expression, scopes: readonly Scope[]): string | undefined {
  if (value.type !== 'PathExpression') return undefined
  const { data, depth, parts } = value as hbs.AST.PathExpression
  if (data) return parts[0] === 'root' && parts.length === 2 ? parts[1] : undefined
  const scope = scopes[scopes.length - 1 - depth]
  if (scope === undefined) return undefined
  if (scope === 'params') return parts.length === 1 ? parts[0] : undefined
  return parts.length === 0 ? scope.param : undefined
}

function nameOf(path: hbs.AST.Expression): unknown {
  return 'original' in path ? path.original : undefined
}
