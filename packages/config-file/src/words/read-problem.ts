/** Why a file cannot be read, in words: what goes wrong most often; the rest keeps the system's code. Pure. */

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory, expected a file (a container mount of a file that does not exist makes one)',
  EACCES: 'may not be read by the user of this process',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text; save it as UTF-8',
}

/** Goes on behind the name of the file. */
export function readProblem(error: unknown): string {
  const { code = 'unknown' } = error as NodeJS.ErrnoException
  return problems[code] ?? `cannot be read (${code})`
}
