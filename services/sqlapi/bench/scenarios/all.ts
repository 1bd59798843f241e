/** Every scenario that is raced, in the order of the report. */
import { postgresScenarios } from './postgres.ts'
import type { Scenario } from './scenario.ts'
import { slowScenarios } from './slow.ts'
import { sqliteScenarios } from './sqlite.ts'

export const scenarios: readonly Scenario[] = [...postgresScenarios, ...slowScenarios, ...sqliteScenarios]
