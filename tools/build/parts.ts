/**
 * The division of a bundle into files by when something is loaded (DECISIONS 159): the table of a service comes in, the
 * groups of the bundler go out.
 */
import { join } from 'node:path'
import type { CodeSplittingGroup } from 'rolldown'
import { buildOf } from './services.ts'

/** The bundler takes with each module all that it imports, unless that is of a group with a higher priority. */
export function groupsOf(service: string): CodeSplittingGroup[] {
  const names = Object.keys(buildOf(service).parts)
  let found: ReadonlyMap<string, string> | undefined
  return names.map((part, index) => ({
    debugName: part,
    priority: names.length - index,
    name(module, graph) {
      found ??= findParts(service, graph)
      return found.get(module) === part ? part : undefined
    },
  }))
}

interface ModuleGraph {
  /** Late imports are not among the imports. */
  getModuleInfo(module: string): { readonly importedIds: readonly string[] } | null
}

/** By modules. */
function findParts(service: string, graph: ModuleGraph): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [part, roots] of Object.entries(buildOf(service).parts)) {
    const reached = roots.map((root) => join(service, 'src', root))
    for (const module of reached) {
      if (found.has(module)) continue
      found.set(module, part)
      reached.push(...(graph.getModuleInfo(module)?.importedIds ?? []))
    }
  }
  return found
}
