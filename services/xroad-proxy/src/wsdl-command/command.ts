/**
 * The subcommands `wsdl explain` and `wsdl vendor`: flags in, report on stdout and exit code out. `explain` reads,
 * `vendor` fetches schemas, as `wsdl add` does and nothing else, and only when somebody runs it.
 */
import { exitCodes, toPlainLine } from '@services/command-line'
import type { ExplainAction, VendorAction } from '../boot/flags.ts'
import { openDownloader } from './download.ts'
import { explain, toJson, toText } from './explain.ts'
import { findWsdls } from './paths.ts'
import { orRefuse, readSettings, say } from './terminal.ts'
import { vendor, type VendorStep } from './vendor.ts'

export async function runExplain({ path, config: flag, tableFormat }: ExplainAction): Promise<void> {
  await orRefuse(() => {
    const { client, clients, wsdl } = readSettings(flag)
    const { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist } = wsdl
    const explanations = explain(findWsdls(path), { client, clients, allowHttp, hostAllowlist })
    say(tableFormat === 'json' ? toJson(explanations) : toText(explanations))
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

function toLine({ outcome, subject, detail }: VendorStep): string {
  return `${toPlainLine(`${outcome.padEnd(9)} ${subject}  ${detail}`)}\n`
}
