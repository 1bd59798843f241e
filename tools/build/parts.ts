/**
 * The division of a bundle into files by when something is loaded (decision 157): the table of a service comes in, the
 * groups of the bundler go out.
 */
import { join } from 'node:path'
import type { CodeSplittingGroup } from 'rolldown'
import { buildOf } from './services.ts'

const shared = 'shared'

/** The bundler takes with each module all that it imports, unless that is of a group with a higher priority. */
export function groupsOf(service: string): CodeSplittingGroup[] {
  const names = [shared, ...Object.keys(buildOf(service).parts)]
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
  const { sharedBy, parts } = buildOf(service)
  const reached = (root: string): ReadonlySet<string> => reachedFrom(join(service, 'src', root), graph)
  const found = new Map<string, string>()
  const [first = new Set<string>(), ...others] = sharedBy.map(
    (roots) => new Set(roots.flatMap((root) => [...reached(root)])),
  )
  for (const module of first) if (others.every((modules) => modules.has(module))) found.set(module, shared)
  for (const [part, roots] of Object.entries(parts)) {
    for (const root of roots) for (const module of reached(root)) if (!found.has(module)) found.set(module, part)
  }
  return found
}

function reachedFrom(root: string, graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set([root])
  // A set is walked to what is added meanwhile, too.
  for (const module of reached) for (const id of graph.getModuleInfo(module)?.importedIds ?? []) reached.add(id)
  return reached
}
