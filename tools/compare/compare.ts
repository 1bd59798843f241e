/**
 * `npm run compare [-- BASE] [--only PART] [--tree FOLDER] [--show KEY]`: gives the version of a commit (the baseline
 * unless named) and the working tree the same requests and commands, and compares every byte of what they answer, write
 * and log. Ends with 1 if something differs that differences.ts does not list. `--tree` names other sources than the
 * working tree, `--show` prints the new version's answers whose key has this text.
 */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { differences } from './differences.ts'
import { describe, openJudge } from './judge.ts'
import type { Part } from './part.ts'
import { parts } from './parts/parts.ts'
import { Recording } from './recording.ts'
import { openSides, type Side } from './sides.ts'

const most = 40

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true }, tree: { type: 'string' }, show: { type: 'string' } },
  allowPositionals: true,
})
const base = positionals[0] ?? readFileSync(join(import.meta.dirname, 'baseline.txt'), 'utf8').trim()
const chosen = parts.filter(({ name }) => values.only?.some((each) => name.includes(each)) ?? true)
if (chosen.length === 0) {
  console.error(
    `compare: no part is called ${values.only?.join()}; the parts are ${parts.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}
process.exitCode = (await compareAll()) ? 0 : 1
// Servers of PostgreSQL end with the process.
process.exit()

async function compareAll(): Promise<boolean> {
  const began = Date.now()
  console.log(`compare: ${base} is the old version, ${values.tree ?? 'the working tree'} the new one`)
  const sides = await openSides(base, values.tree === undefined ? undefined : resolve(values.tree))
  const judge = openJudge(differences)
  for (const part of chosen) await comparePart(part, sides, judge)
  const texts = describe(judge.findings)
  for (const text of texts.slice(0, most)) console.log(`\n${text}`)
  if (texts.length > most) console.log(`\n.. and ${texts.length - most} more`)
  if (values.only === undefined) {
    for (const entry of judge.unused()) {
      console.log(`\nunused entry of differences.ts: in ${entry.in}, ${entry.old} -> ${entry.new} (${entry.reason})`)
    }
  }
  console.log(`\ncompare: ${judge.findings.length} differences, ${seconds(began)} s`)
  return judge.findings.length === 0
}

async function comparePart(
  part: Part,
  [older, newer]: readonly [Side, Side],
  judge: ReturnType<typeof openJudge>,
): Promise<void> {
  const reason = part.skipped?.()
  if (reason !== undefined) return console.log(`  ${part.name}: skipped, ${reason}`)
  const began = Date.now()
  const before = judge.findings.length
  const recordings = [new Recording(part.name, older), new Recording(part.name, newer)] as const
  try {
    await Promise.all([part.run(older, recordings[0]), part.run(newer, recordings[1])])
    judge.compare(...recordings)
    if (part.back !== undefined) await readBack(part.name, part.back, [older, newer], judge)
  } catch (error) {
    judge.fail(`${part.name} came to no end`, error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
  if (values.show !== undefined) show(recordings[1], values.show)
  const { request, command, file, log } = recordings[1].counts
  const counts = `${request} requests, ${command} commands, ${file} files, ${log} logs`
  console.log(`  ${part.name}: ${counts}, ${judge.findings.length - before} differences, ${seconds(began)} s`)
}

/** Each version reads what it has written itself, then what the other one has: all four readings must be the same. */
async function readBack(
  name: string,
  { folder, read }: NonNullable<Part['back']>,
  sides: readonly [Side, Side],
  judge: ReturnType<typeof openJudge>,
): Promise<void> {
  const written = sides.map((side) => ({ from: join(side.folder, folder), kept: join(side.folder, `${folder}-kept`) }))
  for (const { from, kept } of written) cpSync(from, kept, { recursive: true })
  const readings = await Promise.all(
    sides.map(async (side, index) => {
      const own = new Recording(name, side)
      const other = new Recording(name, side)
      await read(side, own)
      const place = join(side.folder, folder)
      rmSync(place, { recursive: true })
      cpSync((written[1 - index] as (typeof written)[0]).kept, place, { recursive: true })
      await read(side, other)
      return { own, other }
    }),
  )
  const [older, newer] = readings as [(typeof readings)[0], (typeof readings)[0]]
  judge.compare(older.own, newer.own, 'each reads its own, ')
  judge.compare(older.own, older.other, 'the old version reads its own and the files of the new one, ')
  judge.compare(newer.own, newer.other, 'the new version reads its own and the files of the old one, ')
}

function show(recording: Recording, text: string): void {
  for (const { key, asked, answer } of recording.observations.values()) {
    if (key.includes(text)) console.log(`\n${key}\n${asked}\n--- answer\n${Buffer.from(answer, 'latin1').toString()}`)
  }
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(1)
}
