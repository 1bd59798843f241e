/** The events of a process's life: rows for the table of a service, with the same words in all services. */
import { error, info, warn } from '@services/observe'

export const lifecycleEvents = {
  startupFailure: error<{ error: string; message: string }>('Cannot start', { always: true }),
  reloadIgnored: info<{ signal: string; reason: string }>('Files and settings are not read anew'),
  shuttingDown: info<{ signal: string }>('Shutting down'),
  stopForced: warn<{ reason: string }>('Ended before all work was finished'),
  stopped: info('Stopped'),
}
