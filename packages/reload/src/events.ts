/** The events of a reload: rows for the table of a service, with the same words in all services. */
import { error, info, warn } from '@services/observe'
import type { Trigger } from './reloads.ts'

export const reloadEvents = {
  reloaded: info<{ trigger: Trigger; endpoints: number; ms: number }>('Files and settings were read anew'),
  reloadFailed: error<{ trigger: Trigger; error: string; reason: string }>(
    'Files and settings cannot be read anew; those from before are still served',
  ),
  fieldKept: warn<{ field: string; origin: string; configured: string; runs: string; cure: string }>(
    'This field cannot change while the service runs',
  ),
}

/** What each of them counts as in `reload_total`. */
export const reloadOutcomes = { reloaded: 'ok', reloadFailed: 'failed' } as const
