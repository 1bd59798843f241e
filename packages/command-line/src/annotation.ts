/**
 * What a program has found, as a workflow command of GitHub Actions: the run shows it beside the line of the change
 * that it is about. Pure.
 */

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice'
  /** Relative to the working directory, with slashes; left out where it is about no file. */
  readonly file?: string | undefined
  /** From 1. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly message: string
}

/** One line, with its end. */
export function toAnnotation({ level, file, line, column, message }: Annotation): string {
  const properties = Object.entries({ file, line, col: column }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  )
  const place = properties.length === 0 ? '' : ` ${properties.join(',')}`
  return `::${level}${place}::${escapeData(message)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
