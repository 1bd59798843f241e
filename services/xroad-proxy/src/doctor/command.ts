/**
 * The subcommand `doctor`: flags in, report on stdout and exit code out. It reads what the service would read at start and
 * writes nothing else; only with `--probe` does it open a connection, to the configured Security Server.
 */
import type { DoctorAction } from '../boot/flags.ts'
import { exitCodeOf, runChecks } from './checks.ts'
import { type Facts, gatherFacts } from './facts.ts'
import { findWsdls } from './wsdl-facts.ts'
import { probe } from './probe.ts'
import { toJson, toText } from './report.ts'

const reports = { text: toText, json: toJson } as const

export async function runDoctor({ config: flag, format, strict, probe: isProbing }: DoctorAction): Promise<void> {
  const facts = await withDescriptions(
    gatherFacts({ flag, env: process.env, cwd: process.cwd(), now: new Date(), wsdlFindings: findWsdls }),
  )
  const findings = runChecks(isProbing ? { ...facts, probe: await probeServer(facts) } : facts)
  // Whoever reads only the beginning, such as `head`, has had enough: no failure of the check.
  process.stdout.on('error', () => undefined)
  process.stdout.write(reports[format](findings))
  process.exitCode = exitCodeOf(findings, { strict })
}

async function withDescriptions(facts: Facts): Promise<Facts> {
  if (facts.dsl.described.length === 0) return facts
  const { readDescriptions } = await import('./description-facts.ts')
  return { ...facts, dsl: readDescriptions(facts.dsl) }
}

/** Nobody is asked with half of a configuration: what is missing has been found already. */
async function probeServer({ config, dsl, keystore }: Facts): Promise<Facts['probe']> {
  const { settings, problems } = config
  const url = settings.securityServer?.url
  if (url === undefined || problems.length > 0 || keystore?.context === undefined) return 'impossible'
  return probe({ settings, url, secureContext: keystore.context, endpoints: dsl.endpoints })
}
