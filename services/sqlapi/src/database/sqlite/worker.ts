/**
 * A SQLite worker thread: one session, jobs in, replies out. SQLite is synchronous, so a slow statement stops this thread and
 * nothing else.
 *
 * Jobs run in the order in which they came; those behind one that has lost the session are not begun, and the thread ends.
 * Which worker gets which job is the pool's decision, which SQL it is sqlite.ts's.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { Claims } from './claims.ts'
import { Groups } from './group.ts'
import { runJob } from './job.ts'
import { areInPlace } from './files.ts'
import type { Job, JobReply, Jobs, Moved, Opened, WorkerOptions } from './messages.ts'
import { Sender } from './sender.ts'
import { Session } from './session.ts'
import { passWarningsOn } from '../../warnings.ts'

/** Replies wait for others no longer than this. */
const holdBackMs = 2

const { claims: memory, ...options } = workerData as WorkerOptions
const claims = new Claims(memory)
const port = parentPort as NonNullable<typeof parentPort>
/** Jobs that have come and are not begun. */
const inbox: Job[] = []
let outbox: JobReply[] = []
let isClosing = false
let session: Session
let groups: Groups

passWarningsOn()
try {
  session = new Session(options)
  groups = new Groups({ session, run, next, now: () => performance.now() })
  port.on('message', receive)
  port.postMessage({ opened: true, files: session.files } satisfies Opened)
} catch (error) {
  port.postMessage({ opened: false, message: (error as Error).message } satisfies Opened)
}

function receive(message: Jobs): void {
  accept(message)
  if (!session.isInPlace) session.leaveFiles()
  let since = performance.now()
  for (let job = next(); job !== undefined; job = next()) {
    // What nobody knows yet may take long, and replies cannot be sent meanwhile.
    if (!isKnown(job)) flush()
    if (job.transaction === 'shared') outbox.push(...groups.run(job))
    else outbox.push(run(job))
    if (performance.now() - since < holdBackMs) continue
    flush()
    since = performance.now()
  }
  flush()
  if (!isClosing && !session.isLost) return
  // Messages that have come meanwhile are nobody's: their jobs were not begun.
  port.off('message', receive)
  leave()
  session.close()
  port.close()
}

/** Tells that the files of the database are not to be found any more, unless that is known. */
function leave(): void {
  const { files } = session
  if (files === undefined || areInPlace(files)) return
  session.leaveFiles()
  if (!isClosing) port.postMessage({ moved: files } satisfies Moved)
}

function accept({ jobs, texts }: Jobs): void {
  if (jobs.length === 0) isClosing = true
  session.learn(texts)
  inbox.push(...jobs)
}

function isKnown({ sets: [calls = []] }: Job): boolean {
  return calls.every(({ statement }) => session.knows(statement))
}

/**
 * Takes the first job that is still to be done, unless the session is lost; with `fits`, only if it fits, and also from
 * messages not looked at yet.
 */
function next(fits?: (job: Job) => boolean): Job | undefined {
  while (!session.isLost) {
    const unread = inbox.length === 0 && fits !== undefined ? receiveMessageOnPort(port) : undefined
    if (unread !== undefined) accept(unread.message as Jobs)
    const [job] = inbox
    if (job === undefined || fits?.(job) === false) return undefined
    inbox.shift()
    if (claims.begin(job.claim)) return job
    outbox.push({ claim: job.claim, skipped: true })
  }
  return undefined
}

function run(job: Job): JobReply {
  const { claim, isRead } = job
  return runJob(job, {
    session,
    isCancelled: () => claims.isCancelled(claim),
    // Elsewhere a reader holds up the writer for as long as it takes, and so would whoever reads the answer.
    pieces: isRead && session.isWal ? new Sender(claim, claims, (piece) => post(claim, piece)) : undefined,
  })
}

function post(claim: number, piece: Uint8Array<ArrayBuffer>): void {
  // Who is done does not wait for the reader of this one.
  flush()
  port.postMessage([{ claim, piece } satisfies JobReply], [piece.buffer])
}

function flush(): void {
  if (outbox.length === 0) return
  port.postMessage(outbox)
  outbox = []
}
