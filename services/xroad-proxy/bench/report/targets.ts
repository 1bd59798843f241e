/**
 * What is to be reached, and whether a run has reached it: results in, rows of `what, target, measured, reached` out.
 */
import { ratio } from '@services/bench'
import { bootTarget } from '../boot/boot.ts'
import { nameOf, peakOf, rateOf, type Results } from './results.ts'
import { wsdlTarget } from '../boot/wsdl.ts'
import { xmlTargets } from '../xml/xml.ts'

type Row = readonly [what: string, target: string, measured: string, reached: string]

const memoryTargetMB = 160

/** A row for each target that was measured. */
export function judge(results: Results): Row[] {
  return [
    ...judgeRaces(results),
    ...judgeXml(results),
    ...judgeBoots(results),
    ...judgeWsdl(results),
    ...judgeMemory(results),
  ]
}

function judgeRaces({ races }: Results): Row[] {
  return races.flatMap(({ scenario: { title, targets = [] }, results }) =>
    targets.flatMap(({ ratio: wanted, of }): Row[] => {
      const first = results[0]
      const other = results.find(({ contender }) => contender === of)
      const reached = ratio(first, other, 'requests/s')
      if (first === undefined || other === undefined || reached === undefined) return []
      const rates = `${rateOf(first).toFixed(0)}/s to ${rateOf(other).toFixed(0)}/s`
      return [[title, `>= ${wanted} x ${of}`, `${reached.toFixed(2)} x (${rates})`, verdict(reached >= wanted)]]
    }),
  )
}

function judgeXml({ xml }: Results): Row[] {
  if (xml === undefined) return []
  const { MBps, ofParser } = xmlTargets
  const { translateMBps, ratio } = xml
  return [
    ['XML to JSON', `>= ${MBps} MB/s`, `${translateMBps.toFixed(0)} MB/s`, verdict(translateMBps >= MBps)],
    ['XML to JSON', `>= ${ofParser} x saxes alone`, `${ratio.toFixed(2)} x`, verdict(ratio >= ofParser)],
  ]
}

function judgeBoots({ boots }: Results): Row[] {
  return boots
    .filter(({ files }) => files === bootTarget.files)
    .map(({ contender, files, seconds }) => {
      const name = `boot of ${files} DSL files, ${nameOf(contender)}`
      return [name, `< ${bootTarget.seconds} s`, `${seconds.toFixed(2)} s`, verdict(seconds < bootTarget.seconds)]
    })
}

function judgeWsdl({ wsdl }: Results): Row[] {
  return (wsdl?.boots ?? []).map(({ source, contender, files, endpoints, first, second }) => {
    // Of generated files only the second start has a target.
    const { seconds } = source === 'real' ? first : second
    const name = `${source === 'real' ? `first boot with ${files} real WSDLs` : 'second boot with WSDLs'}, ${endpoints} endpoints`
    const peakMB = Math.max(first.peakMB, second.peakMB)
    const isReached = seconds < wsdlTarget.seconds && peakMB < wsdlTarget.peakMB
    const wanted = `< ${wsdlTarget.seconds} s, < ${wsdlTarget.peakMB} MB`
    const measured = `${seconds.toFixed(2)} s, ${peakMB.toFixed(0)} MB`
    return [`${name}, ${nameOf(contender)}`, wanted, measured, verdict(isReached)]
  })
}

function judgeMemory({ races }: Results): Row[] {
  return ['package', 'sources'].flatMap((contender): Row[] => {
    const peaks = races.flatMap(({ results }) => results.filter((result) => result.contender === contender))
    if (peaks.length === 0) return []
    const peak = Math.max(...peaks.map(peakOf))
    const name = `most memory under load, ${nameOf(contender)}`
    return [[name, `< ${memoryTargetMB} MB`, `${peak.toFixed(0)} MB`, verdict(peak < memoryTargetMB)]]
  })
}

function verdict(isReached: boolean): string {
  return isReached ? 'yes' : 'no'
}
