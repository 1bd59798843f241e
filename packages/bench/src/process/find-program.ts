/** Programs that take part when somebody has installed them. */
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** On the path, or where else it may be: file names, in which `*` stands for a version. Nothing if it is nowhere. */
export function findProgram(name: string, elsewhere: readonly string[] = []): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const onPath = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  return onPath ?? elsewhere.map((pattern) => globSync(pattern).toSorted().at(-1)).find((file) => file !== undefined)
}
