/**
 * Generated DSL files whose address the configuration does not allow (any more): such a file is older than the rules,
 * and its WSDL did not replace it at this start. Its endpoint is left out: the envelope was made for that address,
 * without an X-Road header and with credentials of the caller, so it must not go anywhere else.
 */
import type { Endpoint } from '../../model.ts'
import { judgeAddress } from '../../guard/address.ts'
import type { Config } from '../config/schema.ts'

export function refuseAddresses(
  endpoints: readonly Endpoint[],
  { allowHttpUpstream: allowHttp, upstreamHostAllowlist: hostAllowlist }: Config['wsdl'],
): { readonly endpoints: readonly Endpoint[]; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const allowed = endpoints.filter((endpoint) => {
    if (endpoint.kind === 'rest' || !endpoint.isGenerated || endpoint.url === undefined) return true
    const verdict = judgeAddress(endpoint.url, { allowHttp, hostAllowlist })
    if (verdict.kind === 'direct') return true
    const reason = verdict.kind === 'rejected' ? verdict.reason : 'stands for the Security Server'
    warnings.push(
      `${endpoint.file}: the address of this generated file ${reason}; it gives no endpoint. Correct its WSDL, ` +
        'or delete its first line to keep it as your own',
    )
    return false
  })
  return { endpoints: allowed, warnings }
}
