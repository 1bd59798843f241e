/** Warnings about a template, with lines of its own -> the same in words, with the lines of its file. */
import type { Places } from '@services/config-file'
import type { TemplateWarning } from '../../soap/request/template-names.ts'

const maxWarnings = 20
const maxLines = 5

interface TemplatePlace {
  readonly file: string
  readonly places: Places
}

/** With lines of the file if those of the template are lines of the file. */
export function tellTemplate(place: TemplatePlace, warnings: readonly TemplateWarning[]): string[] {
  return warnings.length === 0 ? [] : tell(place, warnings, place.places.firstLineOf(['envelope']))
}

/**
 * The same for warnings that `find` gives for a text. A folded or quoted envelope has other lines than its file, so it
 * is searched as it is written.
 */
export function tellFound(
  place: TemplatePlace,
  envelope: string,
  find: (text: string) => readonly TemplateWarning[],
): string[] {
  const warnings = find(envelope)
  if (warnings.length === 0) return []
  const source = place.places.sourceOf(['envelope'])
  const written = source === undefined ? [] : find(source.text)
  return written.length < warnings.length ? tellTemplate(place, warnings) : tell(place, written, source?.line)
}

function tell(
  { file, places }: TemplatePlace,
  warnings: readonly TemplateWarning[],
  first: number | undefined,
): string[] {
  const key = places.lineOf(['envelope'])
  const lineIn = (line: number): number => (first === undefined ? line : first + line - 1)
  const told = warnings.slice(0, maxWarnings).map(({ lines, message }) => {
    if (lines.length === 0) return `${file}:${key}: envelope: ${message}`
    const [line = 1, ...others] = new Set(lines.map(lineIn))
    const place = first === undefined ? `${key}: envelope: line ${line} of the template` : `${line}: envelope`
    return `${file}:${place}: ${message}${alsoIn(others)}`
  })
  const more = warnings.length - told.length
  return more > 0 ? [...told, `${file}:${key}: envelope: and ${more} more like these`] : told
}

function alsoIn(lines: readonly number[]): string {
  if (lines.length === 0) return ''
  const more = lines.length - maxLines
  const shown = [...lines.slice(0, maxLines), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return ` (also in line${lines.length === 1 ? '' : 's'} ${shown})`
}
