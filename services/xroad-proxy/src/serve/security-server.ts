/** Where the Security Server is, for both lanes. */
import { Failure } from '../errors.ts'

/** `path` is that of the configured URL without a slash at its end, usually empty. */
export interface SecurityServer {
  readonly origin: string
  readonly path: string
}

/** What an endpoint needs of it. The configuration may lack the section; then the endpoint fails when it is called. */
export function requireSecurityServer<Needed>(found: Needed | undefined): Needed {
  if (found !== undefined) return found
  throw new Failure(
    'internal_error',
    'this endpoint goes through the Security Server, and the configuration has no section security_server',
  )
}
