/**
 * Asks a PostgreSQL server as the superuser, for tests. A test that waits for something asks the same again and again,
 * so the connection of a question is kept for the next one: a new one costs both sides ten times as much.
 */
import pg from 'pg'

type Rows = Record<string, unknown>[]

export class KeptConnection {
  readonly #url: string
  /** Idle, and as if it were new. */
  #kept: pg.Client | undefined

  constructor(url: string) {
    this.#url = url
  }

  async ask(sql: string): Promise<Rows> {
    const kept = this.#kept
    this.#kept = undefined
    if (kept !== undefined && (await isAlive(kept))) return this.#run(kept, sql)
    const client = new pg.Client({ connectionString: this.#url, application_name: 'observer' })
    client.on('error', () => this.#drop(client))
    await client.connect()
    return this.#run(client, sql)
  }

  /** Ends the connection that is kept: an orderly end of the server is to wait for nobody. */
  leave(): void {
    if (this.#kept !== undefined) this.#drop(this.#kept)
  }

  async #run(client: pg.Client, sql: string): Promise<Rows> {
    try {
      const { rows } = await client.query<Record<string, unknown>>(sql)
      // Anything else may have changed its settings.
      if (/^\s*SELECT\b/i.test(sql)) this.#keep(client)
      else await client.end()
      return rows
    } catch (error) {
      this.#drop(client)
      throw error
    }
  }

  #keep(client: pg.Client): void {
    if (this.#kept === undefined) this.#kept = client
    else this.#drop(client)
  }

  #drop(client: pg.Client): void {
    if (this.#kept === client) this.#kept = undefined
    client.end().catch(() => undefined)
  }
}

/** Nobody hears at once that the server, or somebody who ends sessions, has ended this one. */
function isAlive(client: pg.Client): Promise<boolean> {
  return client.query('').then(
    () => true,
    () => false,
  )
}
