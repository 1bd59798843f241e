/** PostgreSQL's SQL, for the scanner. */
import type { Grammar } from '../../sql/grammar.ts'

export const grammar: Grammar = {
  foldsNames: true,
  // A carriage return alone ends a line too.
  lineEnd: /[^\n\r]*/y,
  nestedComments: true,
  escapeStrings: true,
  dollarQuotes: true,
  quotes: { "'": "'", '"': '"' },
  // `:größe` would be the parameter `gr` with something behind it.
  placeholder: /\$[0-9]+|:[A-Za-z_][A-Za-z0-9_]*[\u0080-\uffff][A-Za-z_0-9\u0080-\uffff$]*/y,
  parenthesesHoldSemicolons: true,
  bodies: 'routines',
  ownColons: true,
  arrays: true,
  maxParameters: 65_535,
  numbered: /\$(\d+)/g,
  effects: {
    SELECT: 'read',
    VALUES: 'read',
    TABLE: 'read',
    SHOW: 'read',
    WITH: 'read',
    INSERT: 'write',
    UPDATE: 'write',
    DELETE: 'write',
    MERGE: 'write',
    EXPLAIN: 'write',
    CREATE: 'definition',
    ALTER: 'definition',
    DROP: 'definition',
    TRUNCATE: 'write',
    COMMENT: 'write',
    GRANT: 'write',
    REVOKE: 'write',
    REFRESH: 'write',
    ANALYZE: 'write',
    NOTIFY: 'write',
  },
  selectIntoWrites: true,
}
