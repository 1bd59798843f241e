/**
 * The table of rooms as a lint rule, `boundaries/imports`, so that editors show what the gate would refuse. Every way
 * to name a module counts: `import`, `export .. from`, `import()`, types, and `new URL('./file.ts', import.meta.url)`.
 */
import { relative, resolve, sep } from 'node:path'
import { objection } from './rule.ts'

/** As far as it is used here, what oxlint hands to a rule. Its own types of plugins are still being changed. */
interface Context {
  readonly filename: string
  report(diagnostic: { message: string; node: object }): void
}

interface Node {
  readonly source?: unknown
  readonly arguments?: readonly unknown[]
  readonly callee?: { readonly name?: string }
}

const root = resolve(import.meta.dirname, '../..')

const imports = {
  create(context: Context) {
    const file = relative(root, context.filename).split(sep).join('/')
    const check = (node: unknown): void => {
      const { value } = (node ?? {}) as { value?: unknown }
      if (typeof value !== 'string') return
      const message = objection(file, value)
      if (message !== undefined) context.report({ message, node: node as object })
    }
    const checkSource = ({ source }: Node): void => check(source)
    return {
      ImportDeclaration: checkSource,
      ExportNamedDeclaration: checkSource,
      ExportAllDeclaration: checkSource,
      ImportExpression: checkSource,
      TSImportType: checkSource,
      NewExpression({ callee, arguments: [first] = [] }: Node) {
        const { value } = (first ?? {}) as { value?: unknown }
        if (callee?.name === 'URL' && typeof value === 'string' && /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(value)) check(first)
      },
    }
  },
}

// oxlint-disable-next-line import/no-default-export -- how oxlint takes a plugin
export default { meta: { name: 'boundaries' }, rules: { imports } }
