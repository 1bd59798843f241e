/** A service that the cases of this folder are run against. */
import type { Agent } from 'node:http'
import { call, type Listening } from '@services/testing'

export interface Subject extends Listening {
  /** Answers a GET with 200. */
  readonly getPath: string
  /** Answers a POST of `body` with 200, with the help of what is upstream. */
  readonly postPath: string
}

/** A request that the service works on until `release`. */
export interface Held {
  readonly status: Promise<number>
  release(): void | Promise<void>
}

export const body = '{"x":"y"}'

/** Resolves with the status of a GET on a connection of its own. */
export async function ask({ port, getPath }: Subject): Promise<number> {
  return (await call(port, getPath)).status
}

/** The same of a POST, on a connection that is kept. */
export async function post({ port, postPath }: Subject, agent: Agent): Promise<number> {
  return (await call(port, postPath, { agent, body })).status
}
