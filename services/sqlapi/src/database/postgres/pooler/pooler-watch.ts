/**
 * Notices a pooler in transaction mode that nobody has configured: connections of a datasource come in, with what the
 * server says of the process behind each; the first sign that a process is not kept for its connection goes out, once.
 * Sends nothing itself.
 */

/** A connection, as far as this file asks for it. */
export interface Watched {
  /** The process that the server named at the start; a pooler makes up one of its own. */
  readonly announced: number
  /** Asks for the process that answers now. Rejects where the connection is lost. */
  askBackend(): Promise<number>
}

/** A prepared statement that is there or gone against all that this connection has sent. */
const mixUps: Readonly<Record<string, string>> = {
  '26000': 'a prepared statement is gone (SQLSTATE 26000)',
  '42P05': 'a prepared statement of another connection is there (SQLSTATE 42P05)',
}

export class PoolerWatch {
  readonly #onFound: ((sign: string) => void) | undefined
  /** Connections with a pooler between, and the process behind each when it was asked last. */
  readonly #behind = new Map<Watched, number>()
  #isFound = false

  constructor(onFound: ((sign: string) => void) | undefined) {
    this.#onFound = onFound
  }

  /** Asks which process is behind the connection, where that is of interest. Rejects where the connection is lost. */
  async look(connection: Watched, { isFirst = false }: { readonly isFirst?: boolean } = {}): Promise<void> {
    const before = this.#behind.get(connection)
    if (this.#isFound || (before === undefined && !isFirst)) return
    const backend = await connection.askBackend()
    if (backend === connection.announced) return
    this.#behind.set(connection, backend)
    if (before !== undefined && before !== backend) this.#tell(swapped)
    const other = [...this.#behind].find(([each, process]) => each !== connection && process === backend)?.[0]
    // One that has ended unnoticed has left its process to this one.
    if (other !== undefined && (await isOpen(other))) this.#tell(shared)
  }

  /** The connection has ended, or is about to. */
  forget(connection: Watched): void {
    this.#behind.delete(connection)
  }

  /** The server has refused a statement of the connection with this SQLSTATE. */
  refused(connection: Watched, code: string | undefined): void {
    const sign = mixUps[code ?? '']
    if (sign !== undefined && this.#behind.has(connection)) this.#tell(sign)
  }

  /** Rows have come of which nobody has described the columns. */
  mixedUp(): void {
    this.#tell('a statement is that of another connection')
  }

  #tell(sign: string): void {
    if (this.#isFound) return
    this.#isFound = true
    this.#behind.clear()
    this.#onFound?.(sign)
  }
}

const swapped = 'the process behind a connection has changed (pg_backend_pid)'
const shared = 'two connections have one process behind them (pg_backend_pid)'

function isOpen(connection: Watched): Promise<boolean> {
  return connection.askBackend().then(
    () => true,
    () => false,
  )
}
