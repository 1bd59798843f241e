/** The rooms of sqlapi's databases, from the pool to what opens one; see rooms.ts. */

import type { Room } from './part.ts'

export const databases: readonly Room[] = [
  {
    room: 'database/pool',
    is: 'who gets which connection',
    imports: 'model.ts metering.ts errors.ts @services/linked-list',
    isPure: true,
  },
  {
    room: 'database',
    is: 'results, failures and limits of all databases',
    imports:
      'formats description.ts model.ts metering.ts errors.ts sql/position.ts database/pool/history.ts @services/trace',
  },
  {
    room: 'database/postgres/types',
    is: 'types and values of PostgreSQL',
    imports: 'model.ts json database/int64.ts',
  },
  {
    room: 'database/postgres/plans',
    is: 'statements as PostgreSQL prepares them',
    imports: 'model.ts sql/position.ts database/pool/history.ts database/postgres/types',
  },
  {
    room: 'database/postgres/rows',
    is: 'rows into JSON, byte by byte',
    imports: 'formats json database/postgres/types',
  },
  { room: 'database/postgres/settings', is: 'what each session is set to, as commands', isPure: true },
  {
    room: 'database/postgres/wire',
    is: 'the protocol, and the driver that connects',
    imports:
      'formats model.ts metering.ts errors.ts sql/position.ts database database/postgres/hosts.ts database/postgres/plans database/postgres/rows database/postgres/settings',
  },
  { room: 'database/postgres/pooler', is: 'signs of a pooler that nobody has configured', isPure: true },
  {
    room: 'database/postgres/stored-code',
    is: 'what functions and triggers of the database may do to a session',
    imports: 'sql database/postgres/grammar.ts',
    isPure: true,
  },
  {
    room: 'database/postgres/sessions',
    is: 'connections that are clean for the next request',
    imports: 'formats model.ts errors.ts sql database database/postgres/**',
  },
  { room: 'database/postgres/parser.ts', is: "PostgreSQL's own parser" },
  {
    room: 'database/postgres/needs',
    is: 'what statements cannot run without',
    imports: 'model.ts sql database/postgres/grammar.ts',
    isPure: true,
  },
  {
    room: 'database/postgres/describe',
    is: 'what statements are, without running them',
    imports: 'description.ts model.ts errors.ts json sql database/described.ts database/postgres/**',
  },
  {
    room: 'database/postgres/work',
    is: 'on which connection work runs, and in which transaction',
    imports: 'formats model.ts errors.ts sql database database/pool database/postgres/** @services/trace',
  },
  {
    room: 'database/postgres',
    is: 'a datasource on PostgreSQL',
    imports:
      'description.ts model.ts metering.ts errors.ts database database/prepared-database.ts database/pool database/postgres/**',
  },
  { room: 'database/sqlite/files.ts', is: 'which files are open' },
  { room: 'database/sqlite/worker/library.ts', is: 'SQLite itself', imports: 'database/sqlite/files.ts' },
  { room: 'database/sqlite/new-file.ts', is: 'a new file with what a script puts into it' },
  { room: 'database/sqlite/claims.ts', is: 'memory that threads share' },
  {
    room: 'database/sqlite/worker-messages.ts',
    is: 'what threads tell each other',
    imports: 'model.ts errors.ts database/sqlite/files.ts database/sqlite/worker/library.ts',
  },
  {
    room: 'database/sqlite/worker',
    is: 'a thread with one connection',
    imports: 'formats errors.ts json sql/lex.ts database database/sqlite/** @services/observe/thread',
  },
  {
    room: 'database/sqlite/workplaces',
    is: 'threads and processes, from outside',
    imports:
      'metering.ts database/pool database database/sqlite/claims.ts database/sqlite/files.ts database/sqlite/worker-messages.ts',
  },
  { room: 'database/sqlite/render.ts', is: 'a statement as SQLite reads it', imports: 'model.ts sql/position.ts' },
  {
    room: 'database/sqlite/jobs',
    is: 'work as jobs of workers',
    imports: 'model.ts errors.ts json sql/position.ts database database/pool database/sqlite/**',
  },
  {
    room: 'database/sqlite/describe',
    is: 'what statements are, without running them',
    imports: 'metering.ts description.ts model.ts json sql database/described.ts database/sqlite/**',
  },
  {
    room: 'database/sqlite',
    is: 'a datasource on SQLite',
    imports:
      'description.ts model.ts metering.ts errors.ts sql/position.ts database database/prepared-database.ts database/pool database/sqlite/**',
  },
  {
    room: 'database/open.ts',
    is: 'how each kind of database is opened',
    imports:
      'description.ts model.ts metering.ts database/database.ts database/options-over.ts database/postgres/options.ts database/postgres/postgres.ts database/postgres/probe.ts database/postgres/login.ts database/postgres/replica-state.ts database/postgres/replica-watch.ts database/postgres/replicated.ts database/postgres/describe/parse.ts database/sqlite/sqlite.ts database/sqlite/location.ts database/sqlite/describe/probe.ts database/sqlite/describe/parse.ts',
  },
  {
    room: 'database/copies.ts',
    is: 'databases that are thrown away',
    imports: 'model.ts database/prepared-database.ts database/postgres/copies.ts database/sqlite/copies.ts',
  },
]
