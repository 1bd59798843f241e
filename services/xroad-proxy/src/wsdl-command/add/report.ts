/** What was added -> what a person reads: the files, the explanation, the endpoints, and how to take it back. Pure. */
import { join, posix } from 'node:path'
import { toText } from '../explain.ts'
import type { Added } from './add.ts'

const maxEndpoints = 10

export function toReport(added: Added): string {
  return [files(added), toText(added.explanations), next(added)].join('\n')
}

function files({ root, installed, origins }: Added): string {
  return installed.steps
    .map(({ outcome, file }) => {
      const origin = origins.get(file)
      return `${outcome.padEnd(9)} ${join(root, file)}${origin === undefined ? '' : `  from ${origin}`}\n`
    })
    .join('')
}

function next(added: Added): string {
  const endpoints = toEndpoints(added)
  const more = endpoints.length > maxEndpoints ? [`  and ${endpoints.length - maxEndpoints} more`] : []
  const lines = [
    'From the next start on:',
    ...endpoints.slice(0, maxEndpoints).map((endpoint) => `  POST ${endpoint}`),
    ...more,
    `To take it back: ${undo(added)}`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

/** As boot/ingest names them. */
function toEndpoints({ root, explanations }: Added): readonly string[] {
  return explanations.flatMap(({ file, operations }) => {
    const [owner = '', subsystem, name] = posix.relative(toPosix(root), toPosix(file)).split('/')
    const prefix = name === undefined ? '' : `${subsystem}-`
    return operations.filter(({ outcome }) => outcome === 'generated').map((it) => `/${owner}/${prefix}${it.name}`)
  })
}

function toPosix(path: string): string {
  return path.replaceAll('\\', '/')
}

/** A command for a shell. What was replaced is gone. */
function undo({ root, places, installed }: Added): string {
  const { steps, newFolders } = installed
  if (steps.some(({ outcome }) => outcome === 'replaced'))
    return 'bring back the files that were replaced, from your own copy'
  const whole = places.map((place) => join(root, place)).filter((folder) => newFolders.includes(folder))
  const single = steps
    .filter(({ outcome }) => outcome === 'added')
    .map(({ file }) => join(root, file))
    .filter((path) => !whole.some((folder) => path.startsWith(`${folder}/`)))
  return [
    ...(whole.length === 0 ? [] : [`rm -r ${whole.map(quoted).join(' ')}`]),
    ...(single.length === 0 ? [] : [`rm ${single.map(quoted).join(' ')}`]),
  ].join(' && ')
}

function quoted(path: string): string {
  return /^[\w./+,=@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
