/**
 * Generates a tree of `.sql` files like the real ones: lookups with their joins, lists with sorting and paging, inserts
 * that take the last version of a row along. Sizes are spread as in real trees of this kind: half of the files below
 * 500 bytes, a tenth above 1.9 KB, one in a hundred above 8 KB, 1 KB on average. The same files each time.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface Tree {
  readonly files: number
  readonly bytes: number
}

const medianBytes = 500
const spread = 0.62
const smallestBytes = 60
const largestBytes = 22_000
const filesPerFolder = 50
const subjects = [
  'permit',
  'message',
  'chat',
  'service',
  'intent',
  'user_authority',
  'delegate',
  'training',
  'feedback',
]

/** More than the largest file asks for. */
const mostParts = 400

/** The tables that the files name, for both kinds of databases. */
export const treeSchema: string = subjects
  .map((subject) => {
    const fields = Array.from({ length: mostParts }, (_, part) => `field_${part} text`)
    return `CREATE TABLE ${subject} (id bigint PRIMARY KEY, base_id bigint, title text, status text, author_id bigint, author_role text, details jsonb, created timestamp, deleted timestamp, ${fields.join(', ')});`
  })
  .join('\n')

/** A SQLite file with these tables. */
export function writeTreeDatabase(file: string): void {
  const database = new DatabaseSync(file)
  database.exec(treeSchema)
  database.close()
}

export function writeTree(folder: string, files: number): Tree {
  let bytes = 0
  for (let n = 0; n < files; n++) {
    const text = fileText(n, fileBytes(n, files))
    const subject = subjects[n % subjects.length]!
    const group = `group-${Math.floor(n / filesPerFolder)}`
    const file = join(folder, 'bench', n % 8 === 0 ? 'GET' : 'POST', group, `get-${subject.replace('_', '-')}-${n}.sql`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    bytes += Buffer.byteLength(text)
  }
  return { files, bytes }
}

/** Each file has its own share of the distribution; the step spreads large and small ones over the tree. */
function fileBytes(n: number, files: number): number {
  const share = (((n * 997) % files) + 0.5) / files
  const bytes = medianBytes * (share / (1 - share)) ** spread
  return Math.min(largestBytes, Math.max(smallestBytes, bytes))
}

function fileText(n: number, bytes: number): string {
  const subject = subjects[n % subjects.length]!
  if (bytes < 120) return `SELECT * FROM ${subject} WHERE id = :id AND status <> 'done';\n`
  if (n % 5 !== 0 && bytes < 800) return grow(bytes, lookupText(subject), conditionText, ';\n')
  if (n % 5 === 0) return grow(bytes, '-- @transactional\n', (part) => insertText(subject, part), '')
  const head = `/* Number ${n}: what is known of one "${subject}";\n   ':status' may be left empty. */\nWITH `
  return grow(bytes, head, (part) => (part === 0 ? '' : ',\n') + stepText(subject, part), listText(subject))
}

function grow(bytes: number, head: string, part: (index: number) => string, tail: string): string {
  let text = head
  for (let index = 0; index === 0 || text.length + tail.length < bytes; index++) text += part(index)
  return text + tail
}

function lookupText(subject: string): string {
  return `-- One ${subject}, for its page\nSELECT id, title, created\nFROM ${subject}\nWHERE deleted IS NULL`
}

function conditionText(part: number): string {
  return `\n  AND (:filter_${part} IS NULL OR field_${part} = :filter_${part})`
}

function stepText(subject: string, part: number): string {
  return `step_${part} AS (
  -- the newest version of each, the others' are history
  SELECT max(id) AS max_id, created::date AS day
  FROM ${subject}
  WHERE status = COALESCE(:status_${part}, 'it''s open') AND created >= :start::timestamptz
  GROUP BY day
)`
}

function listText(subject: string): string {
  return `
SELECT ${subject}.id, title, created AS requested_at, author_role,
  CEIL(COUNT(*) OVER () / :page_size::DECIMAL) AS total_pages
FROM ${subject} JOIN step_0 ON id = max_id
WHERE author_id IN (:authors)
ORDER BY CASE WHEN :sorting = 'title asc' THEN title END ASC, CASE WHEN :sorting = 'title desc' THEN title END DESC
OFFSET ((GREATEST(:page, 1) - 1) * :page_size) LIMIT :page_size;
`
}

function insertText(subject: string, part: number): string {
  return `INSERT INTO ${subject} (base_id, title, status, author_role, details, created)
SELECT base_id, COALESCE(:title, title), :status, author_role, :details_${part}::jsonb, now()
FROM ${subject} WHERE base_id = :id ORDER BY id DESC LIMIT 1;
`
}
