/**
 * The program of a worker: one of the processes that serve on one port. What boot has made comes from the first
 * process, which is told what only it may say: that this worker listens, or why it cannot. Ends when it is told to, and
 * with the first process.
 */
import cluster from 'node:cluster'
import { disablePretenuring, type ExitCode, exitCodes, handleSignals } from '@services/command-line'
import { EventStream, hearWarnings, openStdout, stackOf, type Subscriber } from '@services/observe'
import { StartupFailure } from '../errors.ts'
import { type EventFields, type Events, type EventName, eventTable, type LogSettings, logWriter } from '../events.ts'
import { type PreparedSet, type RunningService, startService } from '../service.ts'
import type { Measures } from '../measure/measures.ts'
import { type Assignment, unpack } from './assignments.ts'
import { announceEnd, type Change, end, measure, type Order, type Report, shared } from './process-messages.ts'

/** How long requests in flight may take to finish after an unexpected failure. */
const shutdownSeconds = 30
/** The first process reads lines at once; spans may take their time on the way to a collector. */
const lastLinesMs = 5000

const ending = Promise.withResolvers<void>()

/** Set once it serves; the second only where something is measured. */
let running: RunningService | undefined
let measures: Measures | undefined

process.on('message', (message: Assignment | Order) => {
  if (message === end) ending.resolve()
  else if (message === announceEnd) running?.announceEnd()
  else if (message === measure) tellMeasures()
  else if ('change' in message) follow(message)
  else void work(message)
})
// A terminal and some supervisors signal all processes; only the first one decides.
handleSignals({ end: () => undefined, reload: () => undefined })
// Killed, not exited: an exit would wait for a thread that is in the middle of a long SQLite statement.
cluster.worker?.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

async function work(assignment: Assignment): Promise<void> {
  const { events, writeLog } = openEvents(assignment.config.logging)
  try {
    if (assignment.config.admin !== undefined) measures = await openMeasures(events)
    const service = await startService(unpack(assignment), events, measures)
    disablePretenuring()
    running = service
    started.resolve({ service, writeLog })
    if (measures !== undefined) tellSuccesses(service)
    let exitCode: ExitCode = exitCodes.success
    process.on('uncaughtException', (error) => {
      events.emit('internalError', { stack: stackOf(error) })
      exitCode = exitCodes.failure
      // It finishes what it has begun, and the first process replaces it.
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), shutdownSeconds * 1000).unref()
      ending.resolve()
    })
    await ending.promise
    await service.close()
    tellMeasures()
    await events.drained(lastLinesMs)
    process.exit(exitCode)
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    report({ event: 'failure', fields: { name: error.name, message: error.message } })
  }
}

/** What may take the place of what is served. */
interface Prepared {
  readonly rollout: number
  readonly set: PreparedSet
  readonly logging: LogSettings
}

const started = Promise.withResolvers<{ service: RunningService; writeLog: (settings: LogSettings) => void }>()
let prepared: Prepared | undefined
/** One after the other, whatever the first process has given up meanwhile. */
let lastChange: Promise<void> = Promise.resolve()

function follow(change: Change): void {
  lastChange = lastChange.then(() => make(change))
}

function make(change: Change): void | Promise<void> {
  switch (change.change) {
    case 'prepare':
      return prepare(change.rollout, change.assignment)
    case 'take':
      return take(change.rollout)
    case 'drop':
      return drop(change.rollout)
  }
}

async function prepare(rollout: number, assignment: Assignment): Promise<void> {
  const { service } = await started.promise
  try {
    prepared = { rollout, set: await service.prepare(unpack(assignment)), logging: assignment.config.logging }
    report({ event: 'prepared', fields: { rollout } })
  } catch (error) {
    const { name, message } =
      error instanceof StartupFailure ? error : new StartupFailure('ListenException', String(error))
    report({ event: 'unprepared', fields: { rollout, name, message } })
  }
}

function drop(rollout: number): void {
  if (prepared?.rollout !== rollout) return
  prepared.set.drop()
  prepared = undefined
}

async function take(rollout: number): Promise<void> {
  const { writeLog } = await started.promise
  if (prepared?.rollout !== rollout) return
  writeLog(prepared.logging)
  prepared.set.take()
  prepared = undefined
}

/** Loaded only when somebody listens. */
async function openMeasures(events: Events): Promise<Measures> {
  const { Measures } = await import('../measure/measures.ts')
  return new Measures(events)
}

function tellMeasures(): void {
  if (measures !== undefined) report({ event: 'measured', fields: measures.snapshot() })
}

/** How often the first process hears which datasources have answered, as long as any does. */
const successMs = 500

function tellSuccesses(service: RunningService): void {
  let before = performance.now()
  setInterval(() => {
    const now = performance.now()
    const ages: Record<string, number> = {}
    for (const name of service.datasources()) {
      const at = service.lastSuccess(name)
      if (at > before) ages[name] = now - at
    }
    before = now
    if (Object.keys(ages).length > 0) report({ event: 'succeeded', fields: ages })
  }, successMs).unref()
}

/**
 * The first process logs what concerns the service as a whole; this one logs the rest, from now on as `writeLog` is
 * told.
 */
function openEvents(settings: LogSettings): { events: Events; writeLog: (settings: LogSettings) => void } {
  const stdout = openStdout()
  const events = new EventStream<EventFields>(eventTable)
  const writeLog = logWriter(events, stdout, (event) => !isShared(event))
  writeLog(settings)
  events.subscribe(reports)
  stdout.onDropped((count) => events.emit('linesDropped', { count }))
  hearWarnings((warning) => events.emit('processWarning', warning), { threads: true })
  return { events, writeLog }
}

/** Tells the first process what it is to log for all. */
const reports: Subscriber<EventFields> = {
  hears: isShared,
  hear: (event, fields) => report({ event, fields } as Report),
}

function isShared(event: EventName): boolean {
  return shared.includes(event)
}

function report(report: Report): void {
  process.send?.(report)
}
