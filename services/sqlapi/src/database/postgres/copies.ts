/**
 * Databases of their own on the server of a datasource: one that a script has filled, and copies of it (CREATE DATABASE
 * .. TEMPLATE). The datasource's own database is only where we say so from.
 */
import { randomBytes } from 'node:crypto'
import type { PreparedDatabase } from '../prepared-database.ts'
import { readLocation } from './wire/location.ts'
import { Command } from './wire/questions.ts'
import { openSocket, reachOf } from './wire/servers.ts'
import { Wire } from './wire/wire.ts'

const connectTimeoutSeconds = 10

/** Rejects with the reason. */
export async function preparePostgres(url: string, script: string): Promise<PreparedDatabase> {
  const prefix = `sqlapi_test_${process.pid}_${randomBytes(4).toString('hex')}`
  const { names } = reachOf(url)
  const server = await connect(url)
  // One after the other, each with its own end.
  const command = (text: string): Promise<void> => server.ask(new Command(text))
  const drop = (name: string): Promise<void> => command(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  const original = `${prefix}_prepared`
  try {
    await command(`CREATE DATABASE ${original}`)
    await fill(withDatabase(url, original), script)
  } catch (error) {
    await drop(original).catch(() => undefined)
    await server.close()
    throw error
  }
  let copies = 0
  return {
    where: `copies of the new database ${original} on ${names.join(', ')}`,
    async copy() {
      const name = `${prefix}_${++copies}`
      await command(`CREATE DATABASE ${name} TEMPLATE ${original}`)
      return { url: withDatabase(url, name), remove: () => drop(name) }
    },
    async remove() {
      try {
        await drop(original)
      } finally {
        await server.close()
      }
    },
  }
}

async function fill(url: string, script: string): Promise<void> {
  const database = await connect(url)
  try {
    await database.ask(new Command(script))
  } finally {
    await database.close()
  }
}

async function connect(url: string): Promise<Wire> {
  const { socket } = await openSocket({ url, connectTimeoutSeconds })
  return new Wire(socket, () => undefined)
}

/** The same server, user and settings. */
function withDatabase(url: string, name: string): string {
  const changed = url.replace(/^([a-z]+:\/\/[^/?#]*)[^?#]*/i, `$1/${name}`)
  if (readLocation(changed).database !== name) {
    throw new Error('the URL names its database in another place than behind host and port')
  }
  return changed
}
