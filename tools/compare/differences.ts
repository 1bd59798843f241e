/**
 * Differences from the baseline that were reviewed. An entry replaces `old` by `new` in the answers of the baseline
 * whose key contains `in`; what then still differs is reported. `npm run compare` lists entries that it did not need:
 * delete them after the baseline has moved.
 */

export interface Difference {
  /** Part of the key, as the report shows it: `broken configurations`, or one key. */
  readonly in: string
  /** Text of the baseline, after volatile values were replaced. */
  readonly old: string | RegExp
  /** What stands there now. */
  readonly new: string
  /** Why users may see it: the design page, or the rule of the issue. */
  readonly reason: string
}

export const differences: readonly Difference[] = []
