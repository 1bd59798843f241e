/** How a program ends, for the shell or the supervisor that started it. A forced end is a SIGKILL and has no code. */

export const exitCodes = {
  /** The work is done, or the service has ended in order. */
  success: 0,
  /** The start failed, what was checked is wrong, or an unexpected failure was the reason for the end. */
  failure: 1,
  /** The command line is wrong. */
  usage: 2,
  /** What was asked for could not be done: what it takes is missing or cannot be reached. */
  unable: 2,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
