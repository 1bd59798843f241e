/** Every case as users meet it by default: one process serves. */
import { runCases } from '../support/conformance.ts'
import { startTestService } from '../support/service.ts'

runCases({ start: (options) => startTestService(options) })
