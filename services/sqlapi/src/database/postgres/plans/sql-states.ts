/**
 * SQLSTATEs that decide what is done next, by the names that PostgreSQL's manual has for them (Appendix A). Codes that
 * only become a message or a finding are in the tables of these.
 */
export const sqlStates = {
  featureNotSupported: '0A000',
  readOnlyTransaction: '25006',
  /** A prepared statement of this name is gone. */
  invalidStatementName: '26000',
  syntaxError: '42601',
  undefinedFunction: '42883',
  indeterminateDatatype: '42P18',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
} as const
