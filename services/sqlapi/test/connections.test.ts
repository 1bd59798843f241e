/** Bookkeeping of client connections: what has closed is forgotten, whatever is said of it later. */
import { strictEqual } from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Server } from 'node:net'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { Connections } from '../src/serve/connections.ts'

test('a connection that has closed is not kept', () => {
  const server = new EventEmitter()
  const connections = new Connections(server as Server)
  const socket = new Socket()
  server.emit('connection', socket)
  connections.asked(socket)
  socket.emit('close')
  let ends = 0
  socket.destroySoon = () => void (ends += 1)
  connections.answered(socket)
  connections.asked(socket)
  connections.reads(socket)
  connections.close()
  strictEqual(connections.endAfterAnswers(socket), false)
  strictEqual(ends, 0)
})
