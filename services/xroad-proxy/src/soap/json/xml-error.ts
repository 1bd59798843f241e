/** A response that cannot be read. The message says where and why, and quotes nothing of it. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'XmlError'
  }
}
