/** A request that asks for a failure, as the lane that it came on sees it, and what a failure is. Nothing here runs. */
import type { MockReply, Wire } from '../wire.ts'
import type { Notation } from './oddities.ts'

export interface MockCall {
  readonly wire: Wire
  readonly notation: Notation
  /** Path and query of the request. */
  readonly target: string
  /** What the request would get if nothing were to go wrong. */
  readonly ordinary: () => MockReply
  /** The lane's form around other content, sent as UTF-8. */
  readonly around: (content: string) => MockReply
  /** An XML answer around the markup, on all lanes. */
  readonly aroundXml: (markup: string) => MockReply
  /** What was received, in the lane's form. */
  readonly received: () => MockReply
  /** An error with this code, of whom the request reached. */
  readonly error: (code: string, message: string) => MockReply
  /** The same as a fault of SOAP 1.2, on lanes that have faults. */
  readonly error12: (code: string) => MockReply
  /** An error of the provider, which the Security Servers pass on. */
  readonly providerError: (message: string) => MockReply
}

export interface Failure {
  readonly name: string
  /** What follows the name after a dot, if anything. */
  readonly takes?: 'code' | 'status' | 'bytes'
  readonly description: string
  readonly act: (call: MockCall, argument: string) => Promise<void> | void
}
