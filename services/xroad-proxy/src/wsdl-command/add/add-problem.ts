/** Why nothing was added, as a sentence for the person who asked. */
export class AddProblem extends Error {
  /** Whether the command line itself is wrong. */
  readonly isUsage: boolean

  constructor(message: string, { isUsage = false }: { readonly isUsage?: boolean } = {}) {
    super(message)
    this.name = 'AddProblem'
    this.isUsage = isUsage
  }
}
