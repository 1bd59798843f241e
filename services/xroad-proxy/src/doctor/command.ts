/**
 * The subcommand `doctor`: flags in, report on stdout and exit code out. It reads what the service would read at start
 * and writes nothing else; only with `--probe` does it open a connection, to the configured Security Server.
 */
import type { DoctorAction } from '../boot/flags.ts'
import { exitCodeOf, runChecks } from './checks.ts'
import { type Facts, type FurtherProbe, gatherFacts } from './facts/facts.ts'
import { findWsdls } from './facts/wsdl-facts.ts'
import { identityOf, keystoreOf, namesOf } from '../boot/config/client-identity.ts'
import { probe, type ProbeFacts } from './probe/probe.ts'
import type { Finding } from './finding.ts'
import { type Places, toAnnotations, toJson, toText } from './report.ts'

export async function runDoctor(action: DoctorAction): Promise<void> {
  const { config: flag, format, strict, watchedDays, probe: isProbing } = action
  const cwd = process.cwd()
  const days = watchedDays === undefined ? {} : { expiringDays: watchedDays }
  const facts = await withDescriptions(
    gatherFacts({ flag, env: process.env, cwd, now: new Date(), readWsdls: findWsdls, ...days }),
  )
  const findings = runChecks(isProbing ? { ...facts, ...(await probeServer(facts)) } : facts)
  // A reader that closes early, such as `head`, has had enough: no failure of the check.
  process.stdout.on('error', () => undefined)
  process.stdout.write(write(format, findings, { config: facts.config, cwd }))
  process.exitCode = exitCodeOf(findings, { strict, watched: watchedDays !== undefined })
}

function write(format: DoctorAction['format'], findings: readonly Finding[], places: Places): string {
  switch (format) {
    case 'text':
      return toText(findings)
    case 'json':
      return toJson(findings)
    case 'github':
      return toAnnotations(findings, places)
  }
}

async function withDescriptions(facts: Facts): Promise<Facts> {
  if (facts.dsl.described.length === 0) return facts
  const descriptions = await import('./facts/description-facts.ts')
  return descriptions.withDescriptions(facts, process.env)
}

/** Nobody is asked with half of a configuration: what is missing has been found already. */
async function probeServer({ config, dsl, keystores }: Facts): Promise<Pick<Facts, 'probe' | 'furtherProbes'>> {
  const { settings, problems } = config
  const url = settings.securityServer?.url
  if (url === undefined || problems.length > 0) return { probe: 'impossible' }
  const probeAs = async (name: string | undefined): Promise<ProbeFacts | undefined> => {
    const section = keystoreOf(settings, name)?.section
    const secureContext = keystores.find((keystore) => keystore.section === section)?.connecting()
    const client = identityOf(settings, name)
    if (secureContext === undefined || client === undefined) return undefined
    const endpoints = dsl.endpoints.filter((endpoint) => endpoint.client === name)
    return probe({ settings: { ...settings, client }, url, secureContext, endpoints })
  }
  const names = namesOf(settings).filter((name) => dsl.endpoints.some(({ client }) => client === name))
  const furtherProbes: FurtherProbe[] = []
  for (const client of names) {
    const facts = await probeAs(client)
    if (facts === undefined) return { probe: 'impossible' }
    furtherProbes.push({ ...facts, client })
  }
  return { probe: (await probeAs(undefined)) ?? 'impossible', furtherProbes }
}
