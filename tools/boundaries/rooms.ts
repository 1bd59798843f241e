/**
 * Who may import what: one table. A room is a folder, or a file that stands for itself. It imports what its row names,
 * and nothing else. A row names only rooms above it, so no import leads back up. What comes from outside (libraries,
 * and the modules of Node.js that reach out of the process) belongs to the places that `outside` names.
 *
 * `rule.ts` judges imports by this table, for the editor and for `npm run lint`. The rooms of the packages, of
 * xroad-proxy and of sqlapi's databases have files of their own, because this one would grow too long.
 */

import type { Part } from './part.ts'
import { databases } from './rooms-of-databases.ts'
import { packages } from './rooms-of-packages.ts'
import { proxy } from './rooms-of-xroad-proxy.ts'

const sqlapi: Part = {
  root: 'services/sqlapi/src',
  rooms: [
    { room: 'description.ts', is: 'what databases say of statements', isPure: true },
    { room: 'metering.ts', is: 'what databases report about their work', isPure: true },
    { room: 'model.ts', is: 'the nouns of boot and serve', imports: 'metering.ts @services/trace' },
    {
      room: 'database/database.ts',
      is: 'what every kind of database can do',
      imports: 'description.ts model.ts metering.ts',
    },
    { room: 'json/body.ts', is: 'the media type of JSON', imports: 'model.ts' },
    { room: 'errors.ts', is: 'the errors that people are told', imports: 'model.ts json/body.ts @services/observe' },
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
      imports:
        'model.ts findings json sql declarations/value-types.ts @services/config-file @services/config-file/nearest',
      isPure: true,
    },
    {
      room: 'endpoint-types',
      is: 'what an endpoint takes and gives, in the types of its database and of JSON',
      imports: 'description.ts model.ts json/keys.ts',
      isPure: true,
    },
    { room: 'database/prepared-database.ts', is: 'what is thrown away', isPure: true },
    { room: 'database/url-rules.ts', is: 'how the URLs of databases differ', isPure: true },
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
        'model.ts errors.ts events.ts findings database/url-rules.ts dialects.ts @services/config-file @services/config-file/nearest @services/config-file/secret-file @services/observe',
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
    ...databases,
    {
      room: 'serve/route.ts',
      is: 'what a path leads to',
      imports:
        'model.ts errors.ts endpoint-key.ts project-datasource.ts @services/config-file/nearest @services/observe',
    },
    {
      room: 'serve/params',
      is: 'what clients send, as parameter sets',
      imports:
        'model.ts errors.ts events.ts json declarations/value-types.ts serve/route.ts @services/config-file/nearest',
    },
    {
      room: 'serve/representation',
      is: 'in which form a reply goes out',
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
        'model.ts description.ts json/body.ts declarations project-datasource.ts dialects.ts endpoint-types lock/lock.ts boot/config database/database.ts openapi/document @services/content-coding @services/docs-page',
    },
    {
      room: 'serve',
      is: 'requests and replies',
      imports:
        'formats model.ts errors.ts events.ts json/body.ts database/database.ts serve/** @services/http-shell @services/observe @services/trace',
    },
    {
      room: 'measure',
      is: 'what a process of the service counts',
      imports:
        'model.ts metering.ts events.ts database/database.ts @services/metrics @services/observe @services/reload',
    },
    { room: 'reachability.ts', is: 'databases lost and found', imports: 'errors.ts events.ts metering.ts' },
    {
      room: 'served',
      is: 'what is served, as sets that replace each other',
      imports:
        'model.ts version.ts events.ts project-datasource.ts boot boot/config/passwords.ts boot/config/url.ts dialects.ts database/database.ts database/open.ts openapi serve serve/** measure reachability.ts @services/trace',
    },
    {
      room: 'service.ts',
      is: 'the service, in one process',
      imports: 'events.ts boot/boot.ts database/database.ts serve measure served reachability.ts @services/observe',
    },
    {
      room: 'workers',
      is: 'the service, in several processes',
      imports: 'errors.ts events.ts boot measure service.ts @services/command-line @services/metrics @services/observe',
    },
    {
      room: 'admin',
      is: 'the listener for operators',
      imports:
        'metering.ts errors.ts version.ts events.ts boot boot/config/passwords.ts database/open.ts serve/status.ts measure @services/admin @services/command-line @services/http-shell @services/metrics @services/observe',
    },
    {
      room: 'check',
      is: 'a look at every file before it runs',
      imports:
        'description.ts model.ts errors.ts project-datasource.ts findings sql declarations dialects.ts rules lock boot boot/config database/database.ts database/open.ts reachability.ts @services/command-line @services/config-file',
    },
    {
      room: 'reload',
      is: 'reload while the service runs',
      imports:
        'errors.ts events.ts boot boot/config check/start.ts database/open.ts lock/lock-file.ts service.ts @services/config-file @services/reload',
    },
    {
      room: 'openapi/command.ts',
      is: 'the description on the command line',
      imports:
        'model.ts version.ts errors.ts project-datasource.ts boot boot/config endpoint-types lock/lock.ts database/database.ts database/open.ts openapi openapi/document @services/command-line',
    },
    {
      room: 'dev',
      is: 'the service for authors of its files',
      imports:
        'model.ts errors.ts events.ts endpoint-key.ts findings boot boot/config check service.ts @services/command-line @services/config-file @services/observe',
    },
    { room: 'testing/test-file.ts', is: 'the content of a test file', imports: 'errors.ts @services/config-file' },
    {
      room: 'testing',
      is: 'cases of users, run on copies of a database',
      imports:
        'errors.ts events.ts project-datasource.ts dialects.ts boot boot/config database/copies.ts database/prepared-database.ts serve/route.ts service.ts testing/test-file.ts @services/command-line @services/config-file @services/observe',
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
      'version.ts boot/config/login-files.ts boot/tree.ts boot/endpoint-file.ts boot/ignored.ts dev init testing database/sqlite database/sqlite/describe check/source-text.ts lock/lock-file.ts database/postgres/login.ts',
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
