/**
 * The names in a template, as its syntax tree, and the params of its file -> names that no call can ever fill, each
 * with the lines that it is in and the name that was probably meant. What a name means inside a block follows
 * Handlebars: `each`, `with` and `each_value` go into a value of the caller, whose fields are unknown here, so it
 * ignores those.
 *
 * Does not judge calls of helpers (template.ts), and reads no file.
 */
import type { Generated } from '../../model.ts'

/** Lines count from 1 in the source of the template. */
export interface TemplateWarning {
  readonly lines: readonly number[]
  readonly message: string
}

/** The known name that was probably meant. It comes from outside: the same for all files that people write. */
export type Nearest = (name: string, known: readonly string[]) => string | undefined

const filledIn: Readonly<Record<keyof Generated, true>> = {
  uuid: true,
  instance: true,
  client: true,
  protocol_version: true,
  user_id: true,
  issue: true,
}
const filledNames: readonly string[] = Object.keys(filledIn)

/** Whether it is a value of ours in the right braces: `generate.client` is XML and wants three. */
export function isFilledIn(name: string, isRaw: boolean): boolean {
  return name.startsWith('generate.') && Object.hasOwn(filledIn, name.slice(9)) && (isRaw || name !== 'generate.client')
}

const dataNames: readonly string[] = ['root', 'index', 'key', 'first', 'last']
/** Helpers whose block has another `this`. */
const entering: ReadonlySet<unknown> = new Set(['each', 'each_value', 'with'])

type Path = hbs.AST.PathExpression
type Call = Pick<hbs.AST.MustacheStatement, 'path' | 'params' | 'hash'>

/** What names are looked up in. `maybe` is for blocks of which only the values tell whether they go into one. */
type Scope = 'root' | 'generate' | 'value' | 'maybe'

const inPlace: Readonly<Record<Resolved['scope'], Scope>> = {
  root: 'root',
  generate: 'maybe',
  outside: 'maybe',
  value: 'maybe',
}

/** Where a path leads: a scope and what is asked of it; nothing where that cannot be told. */
interface Resolved {
  readonly scope: 'root' | 'generate' | 'outside' | 'value'
  readonly parts: readonly string[]
}

export function reviewNames(
  program: hbs.AST.Program,
  { params, helpers, nearest }: { params: readonly string[]; helpers: ReadonlySet<unknown>; nearest: Nearest },
): readonly TemplateWarning[] {
  const review = new NameReview(new Set(params), helpers, nearest)
  review.program(program)
  return review.warnings()
}

class NameReview {
  readonly #params: ReadonlySet<string>
  readonly #helpers: ReadonlySet<unknown>
  readonly #nearest: Nearest
  readonly #scopes: Scope[] = ['root']
  readonly #blockParams: string[] = []
  /** By what is wrong with which name. */
  readonly #found = new Map<string, { readonly message: string; readonly lines: Set<number> }>()

  constructor(params: ReadonlySet<string>, helpers: ReadonlySet<unknown>, nearest: Nearest) {
    this.#params = params
    this.#helpers = helpers
    this.#nearest = nearest
  }

  warnings(): readonly TemplateWarning[] {
    return Array.from(this.#found.values(), ({ message, lines }) => ({ lines: [...lines], message }))
  }

  program(program: hbs.AST.Program | undefined): void {
    for (const statement of program?.body ?? []) this.#statement(statement)
  }

  #statement(statement: hbs.AST.Statement): void {
    switch (statement.type) {
      case 'MustacheStatement':
        return this.#mustache(statement as hbs.AST.MustacheStatement)
      case 'BlockStatement':
        return this.#block(statement as hbs.AST.BlockStatement)
      case 'PartialStatement':
        return this.#partial(statement as hbs.AST.PartialStatement)
      case 'PartialBlockStatement': {
        const block = statement as hbs.AST.PartialBlockStatement
        this.#partial(block)
        return this.#within('maybe', block.program)
      }
      case 'DecoratorBlock':
        // The template that includes it decides what it sees.
        return this.#within('maybe', (statement as hbs.AST.DecoratorBlock).program)
    }
  }

  #mustache(mustache: hbs.AST.MustacheStatement): void {
    if (this.#isCall(mustache)) return this.#values(mustache)
    // The types do not know this field of the parser's.
    const { escaped } = mustache as { escaped?: boolean }
    this.#name(mustache.path, escaped === false ? 'raw' : 'escaped')
  }

  #block(block: hbs.AST.BlockStatement): void {
    const [value, ...others] = block.params
    const isEntering = entering.has(nameOf(block.path)) && others.length === 0
    if (this.#isCall(block)) {
      this.#values(block)
      if (isEntering) this.#within(this.#entered(nameOf(block.path), value), block.program)
      else this.program(block.program)
    } else {
      this.#name(block.path, 'value')
      this.#within('maybe', block.program)
    }
    this.program(block.inverse)
  }

  /** The scope inside; undefined where it is the same: Handlebars does not count a block that stays where it is. */
  #entered(helper: unknown, value: hbs.AST.Expression | undefined): Scope | undefined {
    if (helper !== 'with' || value === undefined) return 'value'
    const resolved = this.#resolve(value)
    if (resolved === undefined) return 'maybe'
    const { scope, parts } = resolved
    if (parts.length === 0) return scope === 'root' && this.#scopes.at(-1) === 'root' ? undefined : inPlace[scope]
    return scope === 'root' && parts.join('.') === 'generate' ? 'generate' : 'value'
  }

  #within(scope: Scope | undefined, program: hbs.AST.Program | undefined): void {
    const named = program?.blockParams ?? []
    if (scope !== undefined) this.#scopes.push(scope)
    this.#blockParams.push(...named)
    this.program(program)
    this.#blockParams.length -= named.length
    if (scope !== undefined) this.#scopes.pop()
  }

  #partial({ name, params, hash }: hbs.AST.PartialStatement | hbs.AST.PartialBlockStatement): void {
    if (name.type === 'SubExpression') this.#value(name)
    for (const each of params) this.#value(each)
    for (const { value } of hash?.pairs ?? []) this.#value(value)
  }

  /** With values, or by the name of a helper; else Handlebars looks for a field. */
  #isCall({ path, params, hash }: Call): boolean {
    return params.length > 0 || (hash?.pairs.length ?? 0) > 0 || this.#helpers.has(nameOf(path))
  }

  #values({ path, params, hash }: Call): void {
    const [of, key] = params
    const isLookup = nameOf(path) === 'lookup' && of !== undefined && key?.type === 'StringLiteral'
    if (isLookup) this.#member(of, (key as hbs.AST.StringLiteral).value)
    else for (const each of params) this.#value(each)
    for (const { value } of hash?.pairs ?? []) this.#value(value)
  }

  #value(value: hbs.AST.Expression): void {
    if (value.type === 'SubExpression') this.#values(value as hbs.AST.SubExpression)
    else if (value.type === 'PathExpression') this.#name(value, 'value')
  }

  /** `lookup this "name"` */
  #member(of: hbs.AST.Expression, key: string): void {
    const resolved = this.#resolve(of)
    if (resolved === undefined) return this.#value(of)
    this.#judge({ ...resolved, parts: [...resolved.parts, key] }, of, 'value', key)
  }

  #name(path: hbs.AST.Expression, use: Use): void {
    const resolved = this.#resolve(path)
    if (resolved !== undefined) this.#judge(resolved, path, use, String(nameOf(path)))
    else if (isPath(path) && path.data && !dataNames.includes(path.parts[0] ?? '')) {
      const [name = ''] = path.parts
      this.#warn(path, `@${name}`, () => {
        const meant = this.#nearest(name, dataNames)
        return `there is no '@${short(name)}'${meant === undefined ? '' : `; did you mean @${meant}?`}`
      })
    }
  }

  #resolve(value: hbs.AST.Expression): Resolved | undefined {
    if (!isPath(value)) {
      // A text instead of a name is one.
      const isLiteral = value.type === 'StringLiteral' || value.type === 'NumberLiteral'
      return isLiteral ? this.#from(0, [String(nameOf(value))]) : undefined
    }
    const { data, depth, parts } = value
    if (data) return parts[0] === 'root' ? { scope: 'root', parts: parts.slice(1) } : undefined
    const isScoped = /^\.|this\b/.test(value.original)
    if (depth === 0 && !isScoped && this.#blockParams.includes(parts[0] ?? '')) return undefined
    return this.#from(depth, parts)
  }

  #from(depth: number, parts: readonly string[]): Resolved | undefined {
    const from = this.#scopes.length - 1 - depth
    if (this.#scopes.includes('maybe', Math.max(0, from))) return undefined
    const scope = this.#scopes[from] as Exclude<Scope, 'maybe'> | undefined
    return { scope: scope ?? 'outside', parts }
  }

  #judge({ scope, parts }: Resolved, at: hbs.AST.Node, use: Use, shown: string): void {
    const [first, ...rest] = parts
    if (scope === 'value' || first === undefined) return
    if (scope === 'outside') {
      return this.#warn(at, shown, () => `'${short(shown)}' leads outside the values, so it is always empty`)
    }
    if (scope === 'generate') return this.#judgeFilled(parts, at, use)
    if (first === 'generate') return this.#judgeFilled(rest, at, use)
    if (!this.#params.has(first)) this.#warn(at, `param ${parts.join('.')}`, () => this.#tellUnknown(first, parts))
  }

  #judgeFilled(parts: readonly string[], at: hbs.AST.Node, use: Use): void {
    const name = parts.join('.')
    if (name === 'client' && use === 'escaped') {
      return this.#warn(at, 'braces', () => "'generate.client' is XML and needs three braces: {{{generate.client}}}")
    }
    if (filledNames.includes(name) || (name === '' && use === 'value')) return
    this.#warn(at, `generate ${name}`, () => tellUnfilled(name, this.#nearest(name, filledNames)))
  }

  #tellUnknown(first: string, parts: readonly string[]): string {
    const meant = this.#nearest(first, [...this.#params]) ?? this.#nearestFilled(parts)
    const remedy = meant === undefined ? this.#known(first) : `did you mean ${meant}?`
    return `'${short(parts.join('.'))}' is not among params, so it is always empty; ${remedy}`
  }

  /** `generat.client`, `generateUuid`, or the name of a field alone. */
  #nearestFilled(parts: readonly string[]): string | undefined {
    const names = filledNames.map((name) => `generate.${name}`)
    const meant = this.#nearest(parts.join('.'), names) ?? this.#nearest(parts.at(-1) as string, filledNames)
    return meant === undefined ? undefined : written(meant.replace(/^generate\./, ''))
  }

  #known(name: string): string {
    if (this.#params.size === 0) return `the file has no params, such as params: [${short(name)}]`
    const names = [...this.#params]
    const more = names.length - maxShownParams
    const shown = names.slice(0, maxShownParams).map(short)
    return `params are ${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`
  }

  /** One warning for each name, however often it is there. */
  #warn(at: hbs.AST.Node, key: string, tell: () => string): void {
    let found = this.#found.get(key)
    if (found === undefined) {
      if (this.#found.size === maxWarnings) return
      found = { message: tell(), lines: new Set() }
      this.#found.set(key, found)
    }
    found.lines.add(at.loc.start.line)
  }
}

/** Of one template; after these are corrected, the next ones show. */
const maxWarnings = 50

/** What a name is for: text with or without escapes, or a value that a helper looks at. */
type Use = 'escaped' | 'raw' | 'value'

const maxShownParams = 10
const maxShownLength = 64

function tellUnfilled(name: string, meant: string | undefined): string {
  const remedy = meant === undefined ? `there are ${filledNames.join(', ')}` : `did you mean ${written(meant)}?`
  const shown = name === '' ? 'generate alone is not a text' : `the service does not fill in 'generate.${short(name)}'`
  return `${shown}; ${remedy}`
}

function written(filled: string): string {
  return filled === 'client' ? '{{{generate.client}}}' : `generate.${filled}`
}

function short(name: string): string {
  return name.slice(0, maxShownLength)
}

function isPath(node: hbs.AST.Node): node is Path {
  return node.type === 'PathExpression'
}

function nameOf(path: hbs.AST.Expression): unknown {
  return (path as Partial<Path>).original
}
