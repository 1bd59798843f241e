/**
 * This xroad-proxy beside an older one, in every scenario: what a race between the two is. Which of them has become
 * slower is judged by @services/bench. Both run from their sources, so that one needs nothing of how the other was
 * built.
 */
import { join } from 'node:path'
import {
  type Command,
  compareWithRelease,
  exportRelease,
  type Figures,
  type Lengths,
  type Options,
  racePair,
  type Release,
  type Sides,
  type Start,
  startOnce,
  thereAndBack,
  type Trial,
} from '@services/bench'
import { sha256 } from './answers.ts'
import { writeTree } from './boot/boot-tree.ts'
import { withManyCallers } from './callers.ts'
import { toEntrant } from './entrant.ts'
import { readme, script, versions } from './report/report.ts'
import { type Build, scenarios } from './scenarios.ts'
import { ownProgram, prepare, type Setup } from './setup.ts'
import { writeWsdls } from './boot/wsdl-tree.ts'
import { readFor, startReader } from './xml/xml.ts'
import { registerAnswer } from './xml/xml-document.ts'

/** There and back. */
const lengths: Lengths = { rounds: 2, warmUpSeconds: 1.5, seconds: 2 }
const usualRaces = 3
const usualSeconds = 330
const bootFiles = 3000
const wsdlEndpoints = 3000
const xmlSeconds = { warmUp: 1, round: 1 }

/** What each is called in a run. */
const builds: Sides<Build> = { ours: 'sources', theirs: 'release' }

/** Prints a table; gives the exit code. */
export async function compareWith(which: string, { only, rounds, isWritten }: Options): Promise<number> {
  let found: Release | undefined
  const setup = await prepare((folder) => {
    found = exportRelease(which, 'services/xroad-proxy', folder)
    return { sources: ownProgram, release: join(found.service, 'bin/xroad-proxy.js') }
  })
  try {
    const release = found as Release
    const isWanted = ({ name }: { readonly name: string }): boolean => only.length === 0 || only.includes(name)
    const races = rounds ?? usualRaces
    return await compareWithRelease({
      service: 'xroad-proxy',
      release,
      trials: makeTrials(setup, release).filter(isWanted),
      limits: { races, seconds: usualSeconds * Math.max(1, races / usualRaces) },
      versions,
      page: isWritten ? { file: readme, script } : undefined,
    })
  } finally {
    await setup.remove()
  }
}

function makeTrials(setup: Setup, release: Release): Trial[] {
  const races = [...scenarios, withManyCallers].map((scenario): Trial => {
    const { name, title } = scenario
    const merit = 'requests/s'
    const [ours, theirs] = [toEntrant(builds.ours, scenario, setup), toEntrant(builds.theirs, scenario, setup)]
    const entrants = { ours, theirs }
    return { name, title, merit, race: (isThisFirst) => racePair({ name, merit, entrants, lengths }, isThisFirst) }
  })
  const [boot, wsdlBoot] = [makeBoot(setup), makeWsdlBoot(setup)]
  const services = { ours: join(import.meta.dirname, '..'), theirs: release.service }
  return [
    ...races,
    {
      name: 'xml',
      title: 'XML to JSON, 1 MB',
      merit: 'MB/s',
      race: (isThisFirst) => thereAndBack(services, isThisFirst, translate),
    },
    {
      name: 'boot',
      title: `boot of ${bootFiles} DSL files`,
      merit: 'time',
      race: (isThisFirst) => thereAndBack(builds, isThisFirst, boot),
    },
    {
      name: 'wsdl',
      title: `second boot with WSDL files, ${wsdlEndpoints} endpoints`,
      merit: 'time',
      race: (isThisFirst) => thereAndBack(builds, isThisFirst, wsdlBoot),
    },
  ]
}

/** The translation of a large answer without a network. */
async function translate(service: string): Promise<Figures> {
  const reader = startReader('translate', service)
  try {
    await readFor(reader, xmlSeconds.warmUp)
    const { bytesPerSecond, result } = await readFor(reader, xmlSeconds.round)
    if (result !== sha256(registerAnswer().json)) throw new Error(`the translation of ${service} is wrong`)
    return { speed: bytesPerSecond }
  } finally {
    reader.kill()
  }
}

function makeBoot(setup: Setup): (build: Build) => Promise<Figures> {
  const dslPath = join(setup.folder, 'dsl-boot')
  return makeWarmStart({
    prepare: () => writeTree(dslPath, bootFiles),
    command: (build) => setup.proxy(build, dslPath),
  })
}

/** Each version has a folder of DSL files of its own, which its first start fills. */
function makeWsdlBoot(setup: Setup): (build: Build) => Promise<Figures> {
  const wsdlDir = join(setup.folder, 'wsdl')
  return makeWarmStart({
    prepare: () => writeWsdls(wsdlDir, wsdlEndpoints),
    command: (build) => setup.proxy(build, join(setup.folder, `dsl-wsdl-${build}`), wsdlDir),
  })
}

interface Boot {
  readonly prepare: () => unknown
  readonly command: (build: Build) => Command
}

/** The first start of each build is not measured: it fills caches. */
function makeWarmStart({ prepare: makeFiles, command }: Boot): (build: Build) => Promise<Figures> {
  const warm = new Set<Build>()
  return async (build) => {
    if (warm.size === 0) makeFiles()
    if (!warm.has(build)) await startOnce(command(build))
    warm.add(build)
    return toFigures(await startOnce(command(build)))
  }
}

function toFigures({ seconds, cpuSeconds, peakBytes }: Start): Figures {
  return { speed: 1 / seconds, cpu: cpuSeconds, peak: peakBytes }
}
