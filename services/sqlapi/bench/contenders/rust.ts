/** The endpoints that one writes in Rust, rust/src/main.rs, with as many connections as its name says. */
import { contenderTitles, type RustName } from '../scenarios/scenario.ts'
import { askRest, type HttpContender, isRightInMeaning } from './contender.ts'

const connections: Readonly<Record<RustName, number>> = { 'rust-10': 10, 'rust-3': 3, 'rust-1': 1 }

export const rustNames = Object.keys(connections) as readonly RustName[]

export function rust(name: RustName): HttpContender {
  return {
    title: contenderTitles[name],
    command: ({ postgresUrl, rust }) => ({
      file: 'program' in rust ? rust.program : '',
      args: [],
      env: { BENCH_POSTGRES: postgresUrl, BENCH_CONNECTIONS: String(connections[name]) },
    }),
    ask: askRest,
    isRight: isRightInMeaning,
  }
}
