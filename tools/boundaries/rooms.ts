/**
 * Who may import what: one table. A room is a folder, or a file that stands for itself. It imports what its row names, and
 * nothing else. A row names only rooms above it, so no import leads back up. What comes from outside (libraries, and the
 * modules of Node.js that reach out of the process) belongs to the places that `outside` names.
 *
 * `rule.ts` judges imports by this table, for the editor and for `npm run lint`. `npm run boundaries` writes it into
 * ARCHITECTURE.md. The rooms of the packages and of xroad-proxy have files of their own, because this one would grow too long.
 */

import type { Part } from './part.ts'
import { packages } from './rooms-of-packages.ts'
import { proxy } from './rooms-of-xroad-proxy.ts'

const sqlapi: Part = {
  root: 'services/sqlapi/src',
  rooms: [
    { room: 'description.ts', is: 'what databases say of statements', isPure: true },
    { room: 'metering.ts', is: 'what databases tell of how they do', isPure: true },
    { room: 'model.ts', is: 'the nouns of boot and serve', imports: 'description.ts metering.ts @services/trace' },
    { room: 'json/body.ts', is: 'the media type of JSON', imports: 'model.ts' },
    { room: 'errors.ts', is: 'the errors that people are told', imports: 'model.ts json/body.ts' },
    { room: 'version.ts', is: 'what the package says about itself' },
    {
      room: 'events.ts',
      is: 'the events of the service',
      imports: 'model.ts @services/command-line @services/observe @services/reload',
    },
    { room: 'endpoint-key.ts', is: 'how an endpoint is looked up' },
    { room: 'project-datasource.ts', is: 'where a project runs', imports: 'endpoint-key.ts' },
    { room: 'findings', is: 'what is wrong with a file, as text', imports: '@services/command-line', isPure: true },
    { room: 'json', is: 'JSON with all its digits', imports: 'model.ts errors.ts' },
    { room: 'formats', is: 'rows as text', imports: 'model.ts json json/body.ts', isPure: true },
    { room: 'sql', is: 'the words of SQL', imports: 'model.ts', isPure: true },
    {
      room: 'declarations/value-types.ts',
      is: 'the types that parameters are declared with',
      imports: 'model.ts json',
      isPure: true,
    },
    {
      room: 'declarations',
      is: 'what a file says about itself',
      imports: 'model.ts findings json sql declarations/value-types.ts @services/config-file',
      isPure: true,
    },
    {
      room: 'endpoint-types',
      is: 'what an endpoint takes and gives, in the types of its database and of JSON',
      imports: 'description.ts model.ts json/keys.ts',
      isPure: true,
    },
    { room: 'database/prepared-database.ts', is: 'what is thrown away', isPure: true },
    { room: 'database/url-rules.ts', is: 'in what the URLs of databases differ', isPure: true },
    { room: 'database/postgres/grammar.ts', is: 'its SQL, for the scanner', imports: 'sql/grammar.ts', isPure: true },
    { room: 'database/postgres/hosts.ts', is: 'the servers that its URLs name', isPure: true },
    { room: 'database/postgres/url.ts', is: 'its URLs', imports: 'database/url-rules.ts database/postgres/hosts.ts' },
    { room: 'database/sqlite/grammar.ts', is: 'its SQL, for the scanner', imports: 'sql/grammar.ts', isPure: true },
    { room: 'database/sqlite/url.ts', is: 'its URLs', imports: 'database/url-rules.ts', isPure: true },
    {
      room: 'dialects.ts',
      is: 'the kinds of databases',
      imports:
        'model.ts sql/grammar.ts database/url-rules.ts database/postgres/grammar.ts database/postgres/url.ts database/sqlite/grammar.ts database/sqlite/url.ts',
    },
    {
      room: 'rules',
      is: 'what is wrong with a file, by its words',
      imports: 'model.ts sql findings dialects.ts',
      isPure: true,
    },
    {
      room: 'boot/config',
      is: 'the configuration',
      imports:
        'model.ts errors.ts events.ts findings database/url-rules.ts dialects.ts @services/config-file @services/observe',
    },
    {
      room: 'lock',
      is: 'what is known of endpoints without a database',
      imports: 'description.ts model.ts findings sql dialects.ts endpoint-types',
    },
    {
      room: 'boot',
      is: 'files into frozen values',
      imports:
        'model.ts errors.ts version.ts events.ts endpoint-key.ts project-datasource.ts findings sql declarations dialects.ts endpoint-types lock rules boot/config @services/command-line @services/config-file',
    },
    {
      room: 'database/pool',
      is: 'who gets which connection',
      imports: 'model.ts metering.ts errors.ts @services/linked-list',
      isPure: true,
    },
    {
      room: 'database',
      is: 'answers, faults and bounds of all databases',
      imports: 'formats model.ts errors.ts sql/position.ts database/pool/history.ts @services/trace',
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
    {
      room: 'database/postgres/wire',
      is: 'the protocol, and the driver that connects',
      imports:
        'formats model.ts metering.ts errors.ts sql/position.ts database database/postgres/hosts.ts database/postgres/plans database/postgres/rows',
    },
    { room: 'database/postgres/pooler', is: 'signs of a pooler that nobody has configured', isPure: true },
    {
      room: 'database/postgres/sessions',
      is: 'connections that are clean for the next request',
      imports: 'formats model.ts errors.ts sql database database/postgres/**',
    },
    { room: 'database/postgres/parser.ts', is: "PostgreSQL's own parser" },
    {
      room: 'database/postgres/describe',
      is: 'what statements are, without running them',
      imports: 'description.ts model.ts errors.ts json sql database/postgres/**',
    },
    {
      room: 'database/postgres',
      is: 'a datasource on PostgreSQL',
      imports:
        'description.ts model.ts metering.ts errors.ts database database/prepared-database.ts database/pool database/postgres/** @services/trace',
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
      room: 'database/sqlite/describe',
      is: 'what statements are, without running them',
      imports: 'metering.ts description.ts model.ts json sql database/sqlite/**',
    },
    {
      room: 'database/sqlite',
      is: 'a datasource on SQLite',
      imports:
        'description.ts model.ts metering.ts errors.ts json sql/position.ts database database/prepared-database.ts database/pool database/sqlite/**',
    },
    {
      room: 'database/database.ts',
      is: 'how each kind of database is opened',
      imports:
        'description.ts model.ts metering.ts database/options-over.ts database/statement-failure.ts database/postgres/postgres.ts database/postgres/probe.ts database/postgres/login.ts database/postgres/replica-state.ts database/postgres/replica-watch.ts database/postgres/replicated.ts database/postgres/describe/parse.ts database/sqlite/sqlite.ts database/sqlite/location.ts database/sqlite/describe/probe.ts database/sqlite/describe/parse.ts',
    },
    {
      room: 'database/copies.ts',
      is: 'databases that are thrown away',
      imports: 'model.ts database/prepared-database.ts database/postgres/copies.ts database/sqlite/copies.ts',
    },
    { room: 'serve/params.ts', is: 'what clients send, as parameter sets', imports: 'model.ts errors.ts json' },
    {
      room: 'serve/lines',
      is: 'batches with a set a line',
      imports: 'model.ts errors.ts json serve/params.ts',
    },
    {
      room: 'serve/representation',
      is: 'in which form an answer goes out',
      imports:
        'formats model.ts @services/content-coding @services/content-coding/etag @services/content-coding/media-type',
    },
    {
      room: 'openapi/document',
      is: 'the description of all endpoints',
      imports: 'model.ts errors.ts endpoint-types/json-types.ts',
      isPure: true,
    },
    {
      room: 'openapi',
      is: 'what the description is made from, and its pages',
      imports:
        'model.ts description.ts json/body.ts declarations project-datasource.ts endpoint-types lock/lock.ts boot/config openapi/document @services/content-coding @services/docs-page',
    },
    {
      room: 'serve',
      is: 'requests and replies',
      imports:
        'formats model.ts errors.ts events.ts endpoint-key.ts project-datasource.ts json json/body.ts declarations/value-types.ts serve/** @services/http-shell @services/observe @services/trace',
    },
    {
      room: 'measure',
      is: 'what a process of the service counts',
      imports: 'model.ts metering.ts events.ts @services/metrics @services/observe @services/reload',
    },
    { room: 'reachability.ts', is: 'databases lost and found', imports: 'errors.ts events.ts metering.ts' },
    {
      room: 'served',
      is: 'what is served, as sets that take the place of each other',
      imports:
        'model.ts version.ts events.ts project-datasource.ts boot boot/config/url.ts dialects.ts database/database.ts openapi serve serve/** measure reachability.ts @services/trace',
    },
    {
      room: 'service.ts',
      is: 'the service, in one process',
      imports: 'model.ts events.ts boot/boot.ts serve measure served reachability.ts @services/observe',
    },
    {
      room: 'workers',
      is: 'the service, in several processes',
      imports: 'errors.ts events.ts boot measure service.ts @services/command-line @services/metrics @services/observe',
    },
    {
      room: 'admin',
      is: 'the listener for whoever runs the service',
      imports:
        'metering.ts errors.ts version.ts events.ts boot database/database.ts serve/status.ts measure @services/admin @services/command-line @services/http-shell @services/metrics',
    },
    {
      room: 'check',
      is: 'a look at every file before it runs',
      imports:
        'description.ts model.ts errors.ts project-datasource.ts findings sql declarations dialects.ts rules lock boot boot/config database/database.ts @services/command-line @services/config-file',
    },
    {
      room: 'reload',
      is: 'everything read anew while the service runs',
      imports:
        'errors.ts events.ts boot boot/config check/start.ts database/database.ts lock/lock-file.ts service.ts @services/config-file @services/reload',
    },
    {
      room: 'openapi/command.ts',
      is: 'the description on the command line',
      imports:
        'model.ts version.ts errors.ts boot boot/config endpoint-types lock/lock.ts database/database.ts openapi openapi/document @services/command-line',
    },
    {
      room: 'dev',
      is: 'the service for whoever writes its files',
      imports:
        'model.ts errors.ts events.ts endpoint-key.ts findings boot boot/config check service.ts @services/command-line @services/config-file @services/observe',
    },
    { room: 'testing/test-file.ts', is: 'what stands in a test file', imports: 'errors.ts @services/config-file' },
    {
      room: 'testing',
      is: 'cases of users, run on copies of a database',
      imports:
        'errors.ts events.ts project-datasource.ts boot boot/config database/copies.ts database/prepared-database.ts serve/route.ts service.ts testing/test-file.ts @services/command-line @services/config-file @services/observe',
    },
    {
      room: 'init',
      is: 'a small project to begin with',
      imports: 'boot boot/config database/sqlite/new-file.ts testing/test-file.ts @services/command-line',
    },
    {
      room: 'main.ts',
      is: 'the commands',
      imports:
        'errors.ts events.ts boot boot/config measure service.ts reload workers admin check/command.ts check/start.ts openapi/command.ts dev/dev.ts init/command.ts testing/command.ts @services/config-file @services/command-line @services/observe',
    },
  ],
  outside: {
    'libpg-query': 'database/postgres/parser.ts database/postgres/describe/nullability.ts',
    'node:child_process': 'workers/untaken.ts database/sqlite/workplaces/process.ts',
    'node:cluster': 'workers',
    'node:dns': 'database/postgres/wire/servers.ts',
    'node:fs':
      'version.ts boot/config/login-files.ts boot/tree.ts boot/endpoint-file.ts boot/ignored.ts dev init testing database/sqlite database/sqlite/describe check/source-text.ts lock/lock-file.ts',
    'node:module': 'workers/primary.ts database/sqlite/workplaces/environment.ts',
    'node:net': 'database/postgres/wire',
    'node:tls': 'database/postgres/login.ts',
    'node:os': 'database/sqlite/copies.ts',
    'node:sqlite': 'database/sqlite/worker/library.ts database/sqlite/new-file.ts',
    'node:v8': 'workers/assignments.ts',
    'node:worker_threads':
      'database/sqlite/workplaces/connection.ts database/sqlite/workplaces/environment.ts database/sqlite/worker/worker.ts',
    pg: 'database/postgres/wire/driver.ts',
    'pg-connection-string': 'database/postgres/wire/location.ts',
  },
}

export const parts: readonly Part[] = [packages, sqlapi, proxy]
