/** What stands in no row of rooms.ts: modules that are open to all, and places where all is open. */

/** Modules of Node.js that only compute: open to every room that is not pure. */
export const computing: readonly string[] = [
  'node:buffer',
  'node:crypto',
  'node:events',
  'node:path',
  'node:stream',
  'node:timers',
  'node:url',
  'node:util',
  'node:zlib',
]

/**
 * Where people work on the project: these may import all of their own service or package, `tools/`, any library and any
 * private package by name. No room imports them.
 */
export const workshops: readonly string[] = [
  'packages/*/test/**',
  'packages/*/testing/**',
  'packages/bench/src/**',
  'packages/testing/src/**',
  'services/*/bench/**',
  'services/*/test/**',
  'services/*/tools/**',
  'tools/**',
]
