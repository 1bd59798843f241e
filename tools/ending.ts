/**
 * Runs in the process of each test file: a file whose tests are done has to let its process end. One that keeps a
 * socket, a timer or a child process is reported and fails. Ending it by force would lose what it has not written yet,
 * results of its tests among it.
 */
import { after } from 'node:test'

/** A browser or a database may take its time to go, on a machine under load as well. */
const lingerMs = 60_000

after(() => {
  const timer = setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`The tests of ${process.argv[1]} are done, and it does not end. It keeps: ${kept}\n`)
    process.exit(1)
  }, lingerMs)
  timer.unref()
})
