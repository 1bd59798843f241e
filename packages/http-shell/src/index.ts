/** The entry point: what the services may use of this package. */
export { BodyCut, BodyTooLarge, type Reserve } from './exchange/body.ts'
export type { Exchange, SendOptions } from './exchange/exchange.ts'
export {
  type ConnectionLimits,
  defaultLimits,
  drainMs,
  fewRequests,
  keepAliveMs,
  maxHeadBytes,
  smallUploadBytes,
  stallBytes,
} from './exchange/limits.ts'
export { Pieces } from './exchange/pieces.ts'
export { type Address, listen, ListenProblem } from './listen.ts'
export { type Refusal, type Refused, type RequestLine } from './exchange/refusals.ts'
export { type Shell, type ShellOptions, startShell } from './shell.ts'
