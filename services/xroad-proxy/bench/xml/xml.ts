/**
 * XML to JSON without a network: the translation beside the parser that it stands on, each in a process of its own,
 * driven in turns. The document and its right translation come from xml-document.ts.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { median } from '@services/bench'
import { sha256 } from '../answers.ts'
import { registerAnswer } from './xml-document.ts'
import type { Done } from './xml-reader.ts'

export interface XmlResult {
  readonly bytes: number
  readonly events: number
  /** Millions of bytes in a second, medians of the rounds. */
  readonly translateMBps: number
  readonly parserMBps: number
  /** Of the translation to the parser, within each round. */
  readonly ratio: number
}

export const xmlTargets = { MBps: 40, ofParser: 0.4 }

export async function measureXml(rounds: number, warmUpSeconds: number, seconds: number): Promise<XmlResult> {
  const document = registerAnswer()
  const readers = { translate: startReader('translate'), parser: startReader('parser') }
  try {
    await readFor(readers.translate, warmUpSeconds)
    await readFor(readers.parser, warmUpSeconds)
    const measured: { translate: number; parser: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const translated = await readFor(readers.translate, seconds)
      const parsed = await readFor(readers.parser, seconds)
      if (translated.result !== sha256(document.json)) throw new Error('the translation is wrong')
      if (parsed.result !== String(document.events)) throw new Error(`the parser counts ${parsed.result} events`)
      measured.push({ translate: translated.bytesPerSecond / 1e6, parser: parsed.bytesPerSecond / 1e6 })
      console.error(`xml round ${round + 1}: ${JSON.stringify(measured.at(-1))}`)
    }
    return {
      bytes: Buffer.byteLength(document.xml),
      events: document.events,
      translateMBps: median(measured.map(({ translate }) => translate)),
      parserMBps: median(measured.map(({ parser }) => parser)),
      ratio: median(measured.map(({ translate, parser }) => translate / parser)),
    }
  } finally {
    for (const reader of Object.values(readers)) reader.kill()
  }
}

/** `service` is the folder of the service whose translation it is, if it is not this one. */
export function startReader(what: 'translate' | 'parser', service = join(import.meta.dirname, '../..')): ChildProcess {
  return fork(join(import.meta.dirname, 'xml-reader.ts'), [what, service])
}

export async function readFor(reader: ChildProcess, seconds: number): Promise<Done> {
  reader.send(seconds)
  const [done] = (await Promise.race([once(reader, 'message'), failed(reader)])) as [Done]
  return done
}

async function failed(reader: ChildProcess): Promise<never> {
  const [code] = (await once(reader, 'exit')) as [number | null]
  throw new Error(`the reader ended with ${code}`)
}
