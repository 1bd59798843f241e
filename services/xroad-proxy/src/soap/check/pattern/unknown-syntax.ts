/** An expression that cannot be matched here; the message is the end of a sentence that begins with it. */
export class UnknownSyntax extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnknownSyntax'
  }
}
