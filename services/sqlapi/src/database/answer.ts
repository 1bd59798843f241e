/** How long an answer may get, and how answers are put together. */
import { Failure } from '../errors.ts'

/**
 * Longest answer in characters of column text. An answer is collected before it is sent, and JSON may make six characters of
 * one, which together must stay within what one string can hold.
 */
export const maxAnswerLength = 64 * 1024 * 1024

export function tooLong(): Failure {
  return new Failure('BadSqlGrammarException', 'The result is too large')
}

/** The answers of a batch as one JSON array. */
export function joinAnswers(answers: readonly string[]): string {
  let length = 0
  for (const answer of answers) length += answer.length
  if (length > maxAnswerLength) throw tooLong()
  return `[${answers.join(',')}]`
}

/** What a file without statements answers. */
export function emptyAnswer(sets: number, batch: boolean): string {
  return batch ? `[${Array.from({ length: sets }, () => '[]').join(',')}]` : '[]'
}
