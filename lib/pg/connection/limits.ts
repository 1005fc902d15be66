/** Default limit in milliseconds of one statement: the server stops it then. */
export const usualStatementMs = 6_000;

/** The same limit for work that takes long, whether or not a caller waits for it: see `Database.forLongWork`. */
export const longStatementMs = 600_000;

/** Time in milliseconds after the limit of a statement at which a server that still owes the answer counts as lost. */
export const graceMs = 1_500;

/** A replica that vanished inside a transaction holds its locks no longer than this, in milliseconds. */
export const idleInTransactionMs = 15_000;
const longIdleInTransactionMs = 60_000;

/** Statements that give the rest of a transaction the limits of long work. */
export const lengthen = [
  `set local statement_timeout = ${longStatementMs}`,
  `set local idle_in_transaction_session_timeout = ${longIdleInTransactionMs}`,
].join(';');

/** Limit in milliseconds of opening a connection. */
export const connectMs = 4_000;
