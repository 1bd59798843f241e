/** The configuration cases of sqlapi, as `check` reads them: it binds no address and asks no database. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Part } from '../part.ts'
import { runCommand, shown } from '../programs.ts'
import { repository } from '../sides.ts'

const cases = join(repository, 'services/sqlapi/test/cases/config')

export const configCases: Part = {
  name: 'configuration cases',
  async run(side, recording) {
    for (const name of readdirSync(cases).toSorted()) {
      const cwd = join(side.folder, 'config', name)
      cpSync(join(cases, name), cwd, { recursive: true })
      const { env = {}, flag } = JSON.parse(readFileSync(join(cwd, 'case.json'), 'utf8')) as {
        readonly env?: Readonly<Record<string, string>>
        readonly flag?: string
      }
      const args = ['check', '--offline', '--format', 'json', ...(flag === undefined ? [] : ['--config', flag])]
      const ended = await runCommand(side, 'sqlapi', args, { cwd, env })
      recording.addText('command', name, `sqlapi ${args.join(' ')}`, shown(ended))
    }
  },
}
