/** Why `.sql` files cannot be published: a start refuses with it, and `dev` answers with it in their place. */
import { StartupFailure } from '../errors.ts'

export class FileRefusal extends StartupFailure {
  /** Below `sql_dir`. */
  readonly files: readonly string[]
  readonly problem: string
  readonly cure: string | undefined

  constructor(files: readonly string[], problem: string, cure?: string) {
    const about = `${files.length === 1 ? 'file' : 'files'} ${files.join(' and ')}`
    super('InvalidQueryException', `${about} ${problem}${cure === undefined ? '' : `; ${cure}`}`)
    this.files = files
    this.problem = problem
    this.cure = cure
  }
}
