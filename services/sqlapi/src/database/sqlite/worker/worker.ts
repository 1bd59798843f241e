/**
 * A SQLite worker thread: one session, jobs in, replies out. SQLite is synchronous, so a slow statement stops this
 * thread and nothing else.
 *
 * Jobs run in the order in which they came; those behind one that has lost the session are not begun, and the thread
 * ends. Which worker gets which job is the pool's decision, which SQL it is sqlite.ts's.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { passWarningsOn } from '@services/observe/thread'
import { Failure } from '../../../errors.ts'
import { Claims } from '../claims.ts'
import { Groups } from './group.ts'
import { type JobSite, runJob } from './job.ts'
import { areInPlace } from '../files.ts'
import {
  type Job,
  type JobReply,
  type Jobs,
  type Moved,
  type Opened,
  readJobs,
  type WorkerOptions,
} from '../worker-messages.ts'
import { Sender } from './sender.ts'
import { Session } from './session.ts'

/** How long a reply may wait for others, so that they are sent together. */
const holdBackMs = 2

const { claims: memory, ...options } = workerData as WorkerOptions
const claims = new Claims(memory)
const port = parentPort as NonNullable<typeof parentPort>
/** Jobs that have arrived and not begun. */
const inbox: Job[] = []
let outbox: JobReply[] = []
/** A reply tells what cannot be done again: it is sent before anything that might not end. */
let mayNotWait = false
let isClosing = false
let session: Session
let site: JobSite
let groups: Groups

passWarningsOn()
try {
  session = new Session(options)
  site = {
    session,
    isCancelled: (claim) => claims.isCancelled(claim),
    beginStatement: (claim, set, statement) => claims.beginStatement(claim, set, statement),
    endStatement: () => claims.endStatement(),
    commit,
  }
  groups = new Groups({ session, run, next, commit, now: () => performance.now() })
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
    // An unknown statement may take long, and no reply can be sent while it runs.
    if (mayNotWait || !isKnown(job)) flush()
    if (job.transaction === 'shared') outbox.push(...groups.run(job))
    else outbox.push(run(job))
    if (performance.now() - since < holdBackMs) continue
    flush()
    since = performance.now()
  }
  flush()
  if (!isClosing && !session.isLost) return
  // Later messages stay unread: their jobs have not begun.
  port.off('message', receive)
  leave()
  session.close()
  port.close()
}

/** Tells that the files of the database cannot be found any more, unless that is known. */
function leave(): void {
  const { files } = session
  if (files === undefined || areInPlace(files)) return
  session.leaveFiles()
  if (!isClosing) port.postMessage({ moved: files } satisfies Moved)
}

function accept({ jobs, texts }: Jobs): void {
  if (jobs.length === 0) isClosing = true
  session.statements.learn(texts)
  readJobs(jobs, inbox)
}

function isKnown({ sets: [statements = []] }: Job): boolean {
  return statements.every(({ statement }) => session.statements.knows(statement))
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
  const { claim, isRead, transaction } = job
  // Without WAL a reader blocks the writer for as long as it runs, and a client that reads slowly would too.
  const mayPost = isRead && session.isWal
  const reply = runJob(job, site, mayPost ? new Sender(claim, claims, (piece) => post(claim, piece)) : undefined)
  if (!isRead) {
    mayNotWait = true
    if (transaction === 'none') claims.settle(claim)
  }
  return reply
}

/** Not if this thread has been given up: its jobs were rejected, and other workers may be doing them by now. */
function commit(done: readonly number[]): void {
  if (!claims.beginCommit()) {
    session.lose()
    throw new Failure('connection_lost')
  }
  try {
    session.commit()
    for (const claim of done) claims.settle(claim)
  } finally {
    claims.endCommit()
  }
}

function post(claim: number, piece: Uint8Array<ArrayBuffer>): void {
  // Replies that are ready are sent now: they must not wait for the reader of this result.
  flush()
  mayNotWait = true
  port.postMessage([{ claim, piece } satisfies JobReply], [piece.buffer])
}

function flush(): void {
  if (outbox.length === 0) return
  port.postMessage(outbox)
  outbox = []
  mayNotWait = false
}
