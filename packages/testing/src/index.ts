/** The entry point: what needs nothing but Node.js. What needs a library has an entry point of its own. */
export { canonicalJson, parseLossless } from './content/json.ts'
export { randomFrom } from './content/random.ts'
export {
  type Reply,
  type BinaryAnswer,
  call,
  callForBytes,
  type CallOptions,
  errorOf,
  isRefused,
} from './network/call.ts'
export { type Callers, keepCalling } from './network/callers.ts'
export { freePort } from './network/free-port.ts'
export { send, Wire, type WireAnswer } from './network/wire.ts'
export { type Command, openCommands } from './process/commands.ts'
export { type Files, newFolder, writeFiles } from './process/folder.ts'
export { keptFolder } from './process/kept.ts'
export { peakResidentBytes, residentBytes, withoutMemoryUse } from './process/memory.ts'
export {
  type Ended,
  launchFlag,
  linesOf,
  type Listening,
  type Spawned,
  type SpawnOptions,
  spawnProcess,
  untilListening,
} from './process/process.ts'
export { programOf } from './process/program.ts'
export { isFull } from './suite/full.ts'
export { column, inBackquotes, namesIn, tableAfter, testLinks } from './suite/markdown.ts'
export { testPackage } from './suite/package.ts'
export { testRules } from './suite/rules.ts'
export { checkGrowth } from './timing/growth.ts'
export { repeat } from './timing/repeat.ts'
export { elapsed, until } from './timing/until.ts'
