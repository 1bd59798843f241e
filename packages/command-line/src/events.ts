/** The events of a process's life: rows for the table of a service, with the same words in all services. */
import { error, info, warn } from '@services/observe'

export const lifecycleEvents = {
  startupFailure: error<{ error: string; message: string }>('Cannot start', { always: true }),
  reloadIgnored: info<{ signal: string }>(
    'Files and settings are read at start only; restart the service to apply changes',
  ),
  shuttingDown: info<{ signal: string }>('Shutting down'),
  stopForced: warn<{ reason: string }>('Ended before all work was finished'),
  stopped: info('Stopped'),
}
