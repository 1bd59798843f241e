/** What a run has measured, and the figures of a contender that tables and targets share. */
import { medianOf, type Result, toMB } from '@services/bench'
import type { BootResult } from '../boot/boot.ts'
import type { Scenario } from '../scenarios.ts'
import type { WsdlResult } from '../boot/wsdl.ts'
import type { XmlResult } from '../xml/xml.ts'

export interface ScenarioResult {
  readonly scenario: Scenario
  readonly results: readonly Result[]
}

/** Whatever of it was measured. */
export interface Results {
  readonly races: readonly ScenarioResult[]
  readonly xml: XmlResult | undefined
  readonly boots: readonly BootResult[]
  readonly wsdl: WsdlResult | undefined
}

/** As contenders are called in tables. */
export function nameOf(contender: string): string {
  if (contender === 'package') return 'xroad-proxy'
  return contender === 'sources' ? 'xroad-proxy from its sources' : contender
}

/** Requests per second. */
export function rateOf(result: Result): number {
  return medianOf(result, 'requestsPerSecond') ?? Number.NaN
}

/** MB. */
export function peakOf({ peakBytes = Number.NaN }: Result): number {
  return toMB(peakBytes)
}
