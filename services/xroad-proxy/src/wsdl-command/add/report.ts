/** What was added -> what a person reads: the files, the explanation, the endpoints, and how to take it back. Pure. */
import { join } from 'node:path'
import { toText } from '../explain.ts'
import type { Added, AddedPart } from './add.ts'

const maxEndpoints = 10

export function toReport(added: Added): string {
  const { parts, explanations, notes } = added
  const blocks = [
    parts.map(toFiles).join(''),
    ...(explanations.length === 0 ? [] : [toText(explanations)]),
    ...(notes.length === 0 ? [] : [inLines(notes)]),
    inLines([...toEndpoints(added), `To take it back: ${undo(parts)}`]),
  ]
  return blocks.join('\n')
}

function inLines(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

function toFiles({ root, installed, origins }: AddedPart): string {
  const lines = installed.steps.map(({ outcome, file }) => {
    const origin = origins.get(file)
    return `${outcome.padEnd(9)} ${join(root, file)}${origin === undefined ? '' : `  from ${origin}`}`
  })
  return inLines(lines)
}

function toEndpoints({ endpoints }: Added): readonly string[] {
  const more = endpoints.length - maxEndpoints
  return [
    'From the next start or reload on:',
    ...endpoints.slice(0, maxEndpoints).map((endpoint) => `  ${endpoint}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

/** A command for a shell. What was replaced is gone. */
function undo(parts: readonly AddedPart[]): string {
  const isReplaced = parts.some(({ installed }) => installed.steps.some(({ outcome }) => outcome === 'replaced'))
  if (isReplaced) return 'bring back the files that were replaced, from your own copy'
  const whole = parts.flatMap(({ root, places, installed }) =>
    places.map((place) => join(root, place)).filter((folder) => installed.newFolders.includes(folder)),
  )
  const single = parts
    .flatMap(({ root, installed }) =>
      installed.steps.flatMap(({ outcome, file }) => (outcome === 'added' ? [join(root, file)] : [])),
    )
    .filter((path) => !whole.some((folder) => path.startsWith(`${folder}/`)))
  return [
    ...(whole.length === 0 ? [] : [`rm -r ${whole.map(quoted).join(' ')}`]),
    ...(single.length === 0 ? [] : [`rm ${single.map(quoted).join(' ')}`]),
  ].join(' && ')
}

function quoted(path: string): string {
  return /^[\w./+,=@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
