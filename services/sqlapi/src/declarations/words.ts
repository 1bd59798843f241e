/**
 * The words that a leading comment may declare something with, as one table: `@word` -> its form, and how what stands
 * behind it is read into a draft. What takes more than one line to judge (read.ts) is not judged here.
 */
import { nearest } from '@services/config-file/nearest'
import { codeNames, isCode } from '../findings/codes.ts'
import type { DeclaredCache, Method } from '../model.ts'
import { firstWord, type Mistake, mistake, shown } from './mistake.ts'
import { type EnumLine, type ParamLine, readEnum, readParam } from './param-line.ts'

/** A line with where it is: offset in the file of what is behind its word. */
export interface Placed<T> {
  readonly line: T
  readonly start: number
}

/** What the lines so far say. */
export interface Draft {
  readonly method: Method
  transactional: boolean
  replica: boolean
  summary: string | undefined
  readonly description: string[]
  readonly tags: string[]
  deprecated: string | undefined
  readonly params: Placed<ParamLine>[]
  readonly enums: Placed<EnumLine>[]
  /** By key. */
  readonly results: Map<string, Placed<string>>
  timeoutSeconds: number | undefined
  cache: DeclaredCache | undefined
  /** By code. */
  readonly allow: Map<string, Placed<string>>
}

export interface Word {
  /** What may be behind it; the manual's table has the same. */
  readonly form: string
  /** Reads that, without white space around it, into the draft. `start` is its offset in the file. */
  readonly read: (text: string, draft: Draft, start: number) => Mistake | undefined
}

export const words: Readonly<Record<string, Word>> = {
  transactional: {
    form: '',
    read: (_, draft) => {
      draft.transactional = true
      return undefined
    },
  },
  summary: {
    form: 'TEXT',
    read: (text, draft) => {
      if (text === '') return noText('summary', 'Orders of a customer')
      if (draft.summary !== undefined) return twice('@summary occurs twice')
      draft.summary = text
      return undefined
    },
  },
  description: {
    form: 'TEXT',
    read: (text, draft) => {
      if (text === '') return noText('description', 'Newest first.')
      draft.description.push(text)
      return undefined
    },
  },
  tag: {
    form: 'NAME',
    read: (text, draft) => {
      if (text === '') return noText('tag', 'orders')
      if (draft.tags.includes(text)) return twice(`the tag ${shown(text)} occurs twice`)
      draft.tags.push(text)
      return undefined
    },
  },
  deprecated: {
    form: '[TEXT]',
    read: (text, draft) => {
      if (draft.deprecated !== undefined) return twice('@deprecated occurs twice')
      draft.deprecated = text
      return undefined
    },
  },
  param: {
    form: 'NAME [TYPE] [default VALUE] [-- TEXT]',
    read: (text, draft, start) => {
      const line = readParam(text)
      if ('message' in line) return line
      draft.params.push({ line, start })
      return undefined
    },
  },
  enum: {
    form: 'NAME a, b, c',
    read: (text, draft, start) => {
      const line = readEnum(text)
      if ('message' in line) return line
      draft.enums.push({ line, start })
      return undefined
    },
  },
  result: {
    form: 'KEY TEXT',
    read: (text, draft, start) => {
      const [key, description] = firstWord(text)
      if (description === '') return mistake(0, 'a key and a text are missing', '@result orderId Number of the order')
      if (draft.results.has(key)) return twice(`the key ${shown(key)} occurs twice`)
      draft.results.set(key, { line: description, start })
      return undefined
    },
  },
  timeout: {
    form: 'TIME',
    read: (text, draft) => {
      const seconds = readTime(text)
      if (seconds === undefined) return noTime(text, '@timeout 30s')
      if (seconds < 1 || seconds > maxTimeoutSeconds) return outOfRange(text, '24h')
      if (draft.timeoutSeconds !== undefined) return twice('@timeout occurs twice')
      draft.timeoutSeconds = seconds
      return undefined
    },
  },
  cache: {
    form: 'TIME [public]',
    read: (text, draft) => {
      const [time, scope] = firstWord(text)
      const seconds = readTime(time)
      if (seconds === undefined) return noTime(time, '@cache 60s, @cache 60s public')
      if (seconds < 1 || seconds > maxCacheSeconds) return outOfRange(time, '365d')
      if (scope !== '' && scope !== 'public') {
        return mistake(
          text.length - scope.length,
          `found ${shown(scope)} behind the time`,
          'only public may stand there',
        )
      }
      if (draft.method !== 'GET') return mistake(0, 'the answer of a POST file is never kept', 'remove the line')
      if (draft.cache !== undefined) return twice('@cache occurs twice')
      draft.cache = { seconds, isPublic: scope === 'public' }
      return undefined
    },
  },
  replica: {
    form: '',
    read: (_, draft) => {
      draft.replica = true
      return undefined
    },
  },
  allow: {
    form: 'CODE REASON',
    read: (text, draft, start) => {
      const [code, reason] = firstWord(text)
      if (reason === '') return mistake(0, 'a code and a reason are missing', '@allow no-where The table has one row')
      if (!isCode(code)) return unknownCode(code)
      if (draft.allow.has(code)) return twice(`the code ${shown(code)} occurs twice`)
      draft.allow.set(code, { line: reason, start })
      return undefined
    },
  },
}

/** As statement_timeout_seconds. */
const maxTimeoutSeconds = 86_400
const maxCacheSeconds = 365 * 86_400

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function readTime(text: string): number | undefined {
  const [, number = '', unit = ''] = /^([0-9]{1,9})([smhd])$/.exec(text) ?? []
  const seconds = unitSeconds[unit]
  return seconds === undefined ? undefined : Number(number) * seconds
}

function noTime(text: string, example: string): Mistake {
  const found = text === '' ? 'the time is missing' : `${shown(text)} is not a time`
  return mistake(0, found, `write whole seconds, minutes, hours or days (s, m, h, d): ${example}`)
}

function outOfRange(text: string, most: string): Mistake {
  return mistake(0, `${shown(text)} is out of range`, `write a time from 1s to ${most}`)
}

function unknownCode(code: string): Mistake {
  const meant = nearest(code, codeNames)
  const cure = meant === undefined ? `the codes are ${codeNames.join(', ')}` : `did you mean ${meant}?`
  return mistake(0, `there is no code ${shown(code)}`, cure)
}

function noText(word: string, example: string): Mistake {
  return mistake(0, `@${word} has no text`, `write @${word} ${example}`)
}

function twice(message: string): Mistake {
  return mistake(0, message, 'the first one counts; remove the other')
}
