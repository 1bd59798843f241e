/** The mock Security Server in a process of its own, which is killed and comes back on the same port. */
import { startServer, type Server } from '@services/bench'

export class Upstream {
  readonly port: number
  readonly #args: readonly string[]
  #server: Server | undefined

  constructor(program: string, folder: string, port: number) {
    this.port = port
    this.#args = [program, 'mock', '--port', String(port), '--folder', folder]
  }

  /** Keys are those of the first start. */
  async start(): Promise<void> {
    this.#server = await startServer({ args: this.#args, port: this.port })
  }

  kill(): void {
    if (this.#server !== undefined) process.kill(this.#server.pid, 'SIGKILL')
    this.#server = undefined
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }
}
