/**
 * What a server is at the moment, a primary or a standby, and whether that is what a URL asks for
 * (`target_session_attrs`, with the meaning that libpq gives it). Pure.
 */

export const targets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const

/** Which servers are wanted. */
export type Target = (typeof targets)[number]

/**
 * What a server says of itself. It does so from PostgreSQL 14 on, unless a pooler is in front: undefined until it
 * was asked.
 */
export class Standing {
  isStandby: boolean | undefined
  /** Transactions only read unless they ask to write. */
  isReadOnly: boolean | undefined

  /** Takes a setting that the server reports. */
  take(name: string, value: string): void {
    if (name === 'in_hot_standby') this.isStandby = value === 'on'
    else if (name === 'default_transaction_read_only') this.isReadOnly = value === 'on'
  }

  get isKnown(): boolean {
    return this.isStandby !== undefined && this.isReadOnly !== undefined
  }
}

/** What to ask a server that says nothing of itself: one row with two texts, `t` or `f`. */
export const standingQuery = `SELECT pg_catalog.pg_is_in_recovery()::text AS standby, (current_setting('transaction_read_only') = 'on')::text AS readonly`

/** Why a server is not wanted, to follow its name; undefined where it is. */
export function whyNot(target: Target, { isStandby = false, isReadOnly = false }: Standing): string | undefined {
  switch (target) {
    case 'any':
    case 'prefer-standby':
      return undefined
    case 'read-write':
      return isStandby || isReadOnly ? `only reads${isStandby ? ', as a standby' : ''}` : undefined
    case 'read-only':
      return isStandby || isReadOnly ? undefined : 'takes writes'
    case 'primary':
      return isStandby ? 'is a standby' : undefined
    case 'standby':
      return isStandby ? undefined : 'is a primary'
  }
}

/** Whether a server that takes no writes is a server that must have changed, because the URL did not ask for one. */
export function expectsWrites(target: Target): boolean {
  return target === 'any' || target === 'read-write' || target === 'primary'
}
