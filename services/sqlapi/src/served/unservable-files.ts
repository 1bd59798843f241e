/** Tells which files no pooler in transaction mode can serve: one WARN for all files of a datasource. */
import type { Booted } from '../boot/boot.ts'
import type { Events } from '../events.ts'
import type { Database } from '../database/database.ts'
import { datasourcesByProject, projectRules } from '../project-datasource.ts'

/** How many files are named; the rest is counted. */
const maxNamed = 20

interface Asked {
  /** Of the datasource. */
  readonly name: string
  readonly database: Database
}

export function tellUnservableFiles(
  { name, database }: Asked,
  { config, endpoints }: Pick<Booted, 'config' | 'endpoints'>,
  events: Events,
): void {
  const datasourceOf = datasourcesByProject(projectRules(config))
  const files = [...endpoints.values()].flatMap(({ project, scripts, file }) => {
    const script = datasourceOf(project) === name ? scripts[database.dialect] : undefined
    return script !== undefined && database.refusalOf?.(script) !== undefined ? [file] : []
  })
  if (files.length === 0) return
  events.emit('sessionNeeded', {
    datasource: name,
    files: files.toSorted().slice(0, maxNamed).join(', '),
    more: Math.max(0, files.length - maxNamed),
    cure: 'have them set what they set for the transaction only, or send them to a datasource without the pooler',
  })
}
