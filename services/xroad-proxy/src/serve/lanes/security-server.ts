/** Where the Security Server is, for both lanes. */
import { Failure } from '../../errors.ts'

/** `path` is that of the configured URL without a slash at its end, usually empty. */
export interface SecurityServer {
  readonly origin: string
  readonly path: string
}

/** What prevents all calls of an endpoint. The service starts anyway. */
export type Obstacle = 'no_security_server' | 'no_client'

const messages: Readonly<Record<Obstacle, string>> = {
  no_security_server:
    'this endpoint goes through the Security Server, but the configuration has no section security_server',
  no_client:
    'this endpoint names its caller to X-Road, but client_data in the configuration has no member_class or no member_code',
}

export function refuseCall(obstacle: Obstacle): never {
  throw new Failure('internal_error', messages[obstacle])
}
