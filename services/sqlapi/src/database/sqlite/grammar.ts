/** SQLite's SQL, for the scanner. */
import type { Grammar } from '../../sql/grammar.ts'

export const grammar: Grammar = {
  foldsNames: false,
  lineEnd: /[^\n]*/y,
  nestedComments: false,
  escapeStrings: false,
  dollarQuotes: false,
  quotes: { "'": "'", '"': '"', '`': '`', '[': ']' },
  // SQLite binds null to a name that nobody fills, and these characters make a name.
  placeholder: /\?[0-9]*|[:#@$][A-Za-z_0-9\u0080-\uffff$]+/y,
  parenthesesHoldSemicolons: false,
  bodies: 'triggers',
  ownColons: false,
  arrays: false,
  maxParameters: 32_766,
  numbered: /\?(\d+)/g,
  effects: {
    SELECT: 'read',
    VALUES: 'read',
    WITH: 'read',
    EXPLAIN: 'read',
    INSERT: 'write',
    REPLACE: 'write',
    UPDATE: 'write',
    DELETE: 'write',
    CREATE: 'definition',
    ALTER: 'definition',
    DROP: 'definition',
    REINDEX: 'write',
    ANALYZE: 'write',
    VACUUM: 'write',
  },
  selectIntoWrites: false,
}
