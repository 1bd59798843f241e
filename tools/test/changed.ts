/** Test files of what changed: those of changed rooms, and those that changed themselves. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** Unit tests are left out: they run in any case. */
export function testsOfChanges(): string[] {
  const found = new Set<string>()
  for (const path of changedPaths()) {
    if (path.endsWith('.test.ts') && !path.includes('/test/unit/') && existsSync(resolve(root, path))) found.add(path)
    const [, workspace, room] = /^((?:services|packages)\/[\w-]+)\/(?:src|testing)\/(?:([\w-]+)\/)?/.exec(path) ?? []
    if (workspace === undefined) continue
    const below = workspace.startsWith('packages/') || room === undefined ? '*' : `${room}/**/*`
    for (const file of globSync(`${workspace}/test/{service,process,slow}/${below}.test.ts`, { cwd: root }))
      found.add(file)
  }
  return [...found].toSorted()
}

/** Paths that differ from the branch that this one leaves, or are not committed yet. */
function changedPaths(): string[] {
  const base = ['@{upstream}', 'origin/main', 'main'].map(mergeBase).find((commit) => commit !== '') ?? 'HEAD'
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')]
}

function mergeBase(branch: string): string {
  try {
    return git('merge-base', 'HEAD', branch)[0] ?? ''
  } catch {
    return ''
  }
}

function git(...args: readonly string[]): string[] {
  const text = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return text.split('\n').filter(Boolean)
}
