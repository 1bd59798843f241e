/** The entry point: what the services may use of this package. */
export { BodyCut, BodyTooLarge, type Reserve } from './body.ts'
export { type Exchange, type Headers, type Leaving, type RawHeaders } from './exchange.ts'
export {
  type Bounds,
  defaultBounds,
  drainMs,
  keepAliveMs,
  maxHeadBytes,
  smallUploadBytes,
  stallBytes,
} from './limits.ts'
export { type Address, listen, ListenProblem } from './listen.ts'
export { type Refusal, type Refused, type RequestLine } from './refusals.ts'
export { type Shell, type ShellOptions, startShell } from './shell.ts'
