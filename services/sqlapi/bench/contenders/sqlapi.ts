/** sqlapi from its sources, here or elsewhere: its answers have to be right to the byte. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '@services/bench'
import { contenderTitles } from '../scenarios/scenario.ts'
import { askRest, type HttpContender } from './contender.ts'

const here = join(import.meta.dirname, '../..')

export function sqlapiCommand(config: string, service = here, nodeOptions: readonly string[] = []): Command {
  return { args: [...nodeOptions, join(service, 'bin/sqlapi.js'), '--config', config] }
}

/**
 * @param service the folder of the service, if it is not this one
 * @param profiles where it writes CPU profiles, if it is to make any; a folder per scenario
 */
export function sqlapi({ title = contenderTitles.sqlapi, service = here, profiles = '' } = {}): HttpContender {
  return {
    title,
    command({ config }, scenario) {
      if (profiles === '') return sqlapiCommand(config, service)
      const folder = join(profiles, scenario?.name ?? 'million')
      mkdirSync(folder, { recursive: true })
      return sqlapiCommand(config, service, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
    },
    ask: askRest,
    isRight({ status, body }, { refusal, expected }) {
      return status === (refusal === undefined ? 200 : 400) && body === expected
    },
  }
}
