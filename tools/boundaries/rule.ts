/**
 * One import -> why it is not allowed, or nothing. A path below the root of the repository and the specifier as it is
 * written come in; the table is `rooms.ts`. Nothing is read from disk.
 */
import { matchesGlob, posix } from 'node:path'
import type { Part, Room } from './part.ts'
import { computing, workshops } from './open.ts'
import { parts } from './rooms.ts'

const table = 'tools/boundaries/rooms.ts'

/** `file` has forward slashes and is below the root: `services/sqlapi/src/main.ts`. */
export function objection(file: string, specifier: string): string | undefined {
  const target = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
  if (target === undefined && isService(specifier))
    return 'A service is not a library: what both services need is a package.'
  if (isWorkshop(file)) return target === undefined ? undefined : objectionInWorkshop(file, target)
  const own = findRoom(file)
  if (own === undefined) return isSource(file) ? `${file} belongs to no room. Give it a row in ${table}.` : undefined
  return target === undefined ? objectionToName(own, file, specifier) : objectionToFile(own, target)
}

/** A row of the table, with its place in it. */
export interface Found {
  readonly part: Part
  readonly room: Room
  /** Rooms above have smaller numbers. */
  readonly index: number
}

const rooms = new Map(
  parts.flatMap((part) => part.rooms.map((room, index) => [`${part.root}/${room.room}`, { part, room, index }])),
)

/** The room of a file: the file itself if it has a row, else its folder. */
export function findRoom(file: string): Found | undefined {
  return rooms.get(file) ?? rooms.get(posix.dirname(file))
}

/** Whether `path`, below the root of a part, is among the places that an entry of the table means. */
export function isMeant(entry: string, path: string): boolean {
  if (entry.endsWith('/**')) return path.startsWith(entry.slice(0, -2))
  return entry === path || entry === posix.dirname(path)
}

export function entriesOf(text = ''): readonly string[] {
  return text.split(' ').filter((entry) => entry !== '')
}

function objectionInWorkshop(file: string, target: string): string | undefined {
  const workspace = workspaceOf(file)
  if (workspaceOf(target) === workspace || target.startsWith('tools/')) return undefined
  return `${workspace} imports nothing else by a path. A package has a name: import { .. } from '@services/..'.`
}

function objectionToFile(own: Found, target: string): string | undefined {
  const { part, room, index } = own
  if (!target.startsWith(`${part.root}/`)) return `${part.root} imports nothing outside itself by a path.`
  const other = findRoom(target)
  if (other === undefined) return `${target} belongs to no room. Give it a row in ${table}.`
  if (other.room === room) return undefined
  const path = target.slice(part.root.length + 1)
  if (other.index > index)
    return `Imports lead to rooms above: ${other.room.room} stands below ${room.room} in ${table}.`
  if (entriesOf(room.imports).some((entry) => isMeant(entry, path))) return undefined
  return `${room.room} imports ${room.imports ?? 'no other room'}, and not ${path} (${table}).`
}

function objectionToName({ part, room }: Found, file: string, specifier: string): string | undefined {
  if (specifier.startsWith('@services/')) {
    if (entriesOf(room.imports).includes(specifier)) return undefined
    return `${room.room} does not import ${specifier} (${table}).`
  }
  const name = nameOf(specifier)
  const owners = part.outside[name]
  if (owners === undefined) {
    if (!computing.includes(name)) return `${name} has no owner in ${part.root} (${table}).`
    return room.isPure ? `${room.room} is pure: it imports nothing of Node.js (${table}).` : undefined
  }
  const path = file.slice(part.root.length + 1)
  if (entriesOf(owners).some((entry) => isMeant(entry, path))) return undefined
  return `${name} belongs to ${owners.replaceAll(' ', ', ')} (${table}).`
}

/** `undici/lib/x.js` -> `undici`, `node:fs/promises` -> `node:fs`, `@scope/name/x` -> `@scope/name`. */
function nameOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

function isService(specifier: string): boolean {
  return ['sqlapi', 'xroad-proxy'].includes(nameOf(specifier))
}

/** By file: a pattern takes its time, and a file imports much. */
const asked = new Map<string, boolean>()

function isWorkshop(file: string): boolean {
  const known = asked.get(file) ?? workshops.some((pattern) => matchesGlob(file, pattern))
  asked.set(file, known)
  return known
}

function isSource(file: string): boolean {
  return matchesGlob(file, '{packages,services}/*/src/**')
}

/** `services/sqlapi`, `packages/observe`, `tools`. */
function workspaceOf(path: string): string {
  return path
    .split('/')
    .slice(0, /^(packages|services)\//.test(path) ? 2 : 1)
    .join('/')
}
