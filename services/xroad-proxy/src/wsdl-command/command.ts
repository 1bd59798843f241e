/**
 * The subcommands `wsdl explain` and `wsdl vendor`: flags in, report on stdout and exit code out. `explain` reads, `vendor`
 * is the only part of the project that fetches schemas, and only when somebody runs it.
 */
import { exitCodes } from '@services/command-line'
import { inOneLine as tellAll, inWords } from '@services/config-file'
import { readConfig } from '../boot/config/config.ts'
import type { ExplainAction, VendorAction } from '../boot/flags.ts'
import { parseConfig } from '../boot/config/schema.ts'
import type { Config } from '../boot/config/schema.ts'
import { StartupFailure } from '../errors.ts'
import { openDownloader } from './download.ts'
import { explain, toJson, toText } from './explain.ts'
import { findWsdls, PathError } from './paths.ts'
import { vendor, type VendorStep } from './vendor.ts'

export async function runExplain({ path, config: flag, format }: ExplainAction): Promise<void> {
  await orRefuse(() => {
    const { client, clients, wsdl } = readSettings(flag)
    const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
    const explanations = explain(findWsdls(path), { client, clients, allowHttp, hostAllowlist })
    say(format === 'json' ? toJson(explanations) : toText(explanations))
    if (explanations.some(({ problem }) => problem !== undefined)) process.exitCode = exitCodes.failure
  })
}

export async function runVendor({ path, allowHosts, privateHosts, allowHttp, maxBytes }: VendorAction): Promise<void> {
  await orRefuse(async () => {
    const wsdls = findWsdls(path)
    const downloader = openDownloader({ allowHosts, privateHosts, allowHttp, maxBytes })
    try {
      const steps: VendorStep[] = []
      for (const wsdl of wsdls) {
        const done = await vendor(wsdl, downloader)
        steps.push(...done)
        say(done.map(toLine).join(''))
      }
      const failed = steps.filter(({ outcome }) => outcome === 'failed').length
      const fetched = steps.filter(({ outcome }) => outcome === 'fetched').length
      say(`${wsdls.length} WSDL files: ${fetched} schema files fetched, ${failed} failed\n`)
      if (failed > 0) process.exitCode = exitCodes.failure
    } finally {
      await downloader.close()
    }
  })
}

/** Who we are and where calls may go; what else the configuration needs to start is not asked for. */
function readSettings(flag: string | undefined): Config {
  const file = readConfig({ flag, env: process.env, cwd: process.cwd() })
  const { value, problems } = parseConfig(file.data)
  if (value !== undefined) return value
  throw new StartupFailure('invalid_configuration', tellAll(problems.map((problem) => inWords(file, problem))))
}

async function orRefuse(run: () => void | Promise<void>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof StartupFailure) && !(error instanceof PathError)) throw error
    process.stderr.write(`xroad-proxy: ${inOneLine(error.message)}\n`)
    process.exitCode = exitCodes.failure
  }
}

function toLine({ outcome, subject, detail }: VendorStep): string {
  return `${inOneLine(`${outcome.padEnd(9)} ${subject}  ${detail}`)}\n`
}

/** Addresses and names of others may hold what a terminal would obey. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\p{C}\u2028\u2029]/gu, '\uFFFD')
}

/** Whoever reads only the beginning, such as `head`, has had enough. */
function say(text: string): void {
  if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined)
  process.stdout.write(text)
}
