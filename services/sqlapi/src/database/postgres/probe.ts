/**
 * Asks a PostgreSQL server whether it answers, over a connection beside the pool that is opened for the question only:
 * a busy pool does not delay it, and a server that has few connections to give does not lose one for good.
 */
import type { Probe } from '../../metering.ts'
import { type CurrentPassword, Login } from './login.ts'
import { ServerOrder } from './wire/server-order.ts'
import { openSocket } from './wire/servers.ts'
import { Command } from './wire/questions.ts'
import { Wire } from './wire/wire.ts'

export interface ProbeOptions {
  /** With the credentials. */
  readonly url: string
  /** Where it is read from a file. */
  readonly password?: CurrentPassword | undefined
  readonly timeoutSeconds: number
}

export class PostgresProbe implements Probe {
  readonly #options: ProbeOptions
  /** One that is silent must not take the time of the others every time. */
  readonly #order = new ServerOrder()
  readonly #login: Login
  #wire: Wire | undefined

  constructor(options: ProbeOptions) {
    this.#options = options
    this.#login = new Login(options.url, options.password)
  }

  async ask(signal: AbortSignal): Promise<void> {
    const { url, timeoutSeconds } = this.#options
    const { socket } = await openSocket({
      url,
      connectTimeoutSeconds: timeoutSeconds,
      order: this.#order,
      login: this.#login,
      signal,
    })
    const wire = new Wire(socket, () => undefined)
    const giveUp = (): void => wire.destroy()
    this.#wire = wire
    // Connecting may have taken all of the time.
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      await wire.ask(new Command('SELECT 1'))
      await wire.close()
    } finally {
      signal.removeEventListener('abort', giveUp)
      wire.destroy()
    }
  }

  close(): void {
    this.#wire?.destroy()
  }
}
