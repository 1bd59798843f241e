/** The text of `/api`, made in one go. The service makes it in steps, so that requests come in between. */
import { describeEndpointsInSteps } from '../../src/boot/description/openapi.ts'
import { finish } from '../../src/steps.ts'

export function describeEndpoints(...described: Parameters<typeof describeEndpointsInSteps>): string {
  return finish(describeEndpointsInSteps(...described))
}
