import type { CustomTypesConfig, PoolClient, QueryResultRow } from 'pg';
import type { Caller } from './sending/index.ts';

/** One SQL statement. `name` makes it a named prepared statement: use it on every hot path, one name per text. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /**
   * Commits together with others that come at the same time, if it is named: for short writes to a few rows, which then share
   * the flush to disk. A statement that fails does not affect the others.
   */
  readonly groupCommit?: boolean;
  /** How columns are parsed, for a library that expects other types than `rowTypes`. */
  readonly types?: CustomTypesConfig;
}

/** Runs statements: a Database (one transaction each) or a Transaction (one for all). */
export interface Queryable {
  /** @param accountId account whose rows a statement with `groupCommit` writes: accounts take turns where many such statements wait */
  query<Row extends QueryResultRow>(
    statement: Statement,
    values?: readonly unknown[],
    accountId?: string,
  ): Promise<Row[]>;
}

export type Transaction = Queryable & { readonly client: PoolClient; readonly timeline?: string };

/**
 * A service's own schema in PostgreSQL, migrated, through a few connections. Rows come back with bigint as bigint. Statements wait in queues
 * with a bound: above it they reject with unavailable `database_busy`, and nothing was sent. When a connection breaks after a change was
 * sent, its outcome is unknown: unavailable `outcome_unknown`.
 */
export interface Database extends Queryable, AsyncDisposable {
  /** Runs `work` in one transaction: commits when it returns, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * The same database for the work of one caller: what has not been sent shortly before the caller's deadline, or when the caller has
   * left, is dropped. Then it rejects with deadline_exceeded `not_stored` or `canceled`, and nothing was stored. After a
   * commit of the same work it rejects with deadline_exceeded `deadline_exceeded` or `canceled`, and where the database fails with
   * unavailable `outcome_unknown`.
   *
   *     deleteNote: ({ db }) => async ({ id }, call) => deleteNoteRow(db.within(call), …)
   */
  within(caller: Caller): Database;
  /**
   * The same database for work that takes long: each statement may take ten minutes, and a transaction may wait a minute for its
   * next statement. Otherwise the server stops a statement after 6 s (unavailable `database_busy`, nothing was changed) and ends a
   * transaction that waits for 15 s. After `within` it commits nothing for a caller who does not wait any more.
   *
   *     await db.forLongWork().transaction((tx) => deleteAccountRows(tx, accountId));
   */
  forLongWork(): Database;
  /**
   * Runs a text of several statements without parameters, which may begin and commit transactions of its own. Answers the rows of
   * all of them. For libraries that bring their SQL along. A connection on which a statement fails is closed.
   */
  runScript(text: string, types?: CustomTypesConfig): Promise<QueryResultRow[]>;
  /**
   * The timeline of the server that was connected to last; blank before the first connection. It changes when a standby is promoted, which may lack commits that were answered: what
   * a process remembers of them under another timeline counts no more. It is the one of a statement, or a later one, when the statement has been answered.
   */
  readonly timeline: string;
  /** Whether its login may change the tables: false for a login that reads and writes rows only. */
  readonly ownsSchema: boolean;
  /** Throws when PostgreSQL cannot be reached within two seconds. */
  ping(): Promise<void>;
}

export interface DatabaseOptions {
  /** The service's word: schema, role and migration lock are named after it. */
  readonly service: string;
  /** postgres:// address. */
  readonly url: string;
  /**
   * Address of the same database past a pooler, where `url` is that of a pooler in transaction mode. The schema is prepared through it. Sessions behind the pooler have neither
   * settings nor prepared statements: each transaction sets what it needs for itself.
   */
  readonly directUrl?: string | undefined;
  /** Most connections: half for single statements, which share them, half for transactions; three at least. */
  readonly poolSize: number;
  /** Limit of one statement in milliseconds. Default: six seconds. */
  readonly statementMs?: number;
  /** Refuses a server that answers a commit before the commit is on its disk. Default: such a server is warned of. */
  readonly requireSync?: boolean;
  /** Folder of numbered SQL files. */
  readonly migrations: URL;
  /** Also creates the schema `<service>_jobs`, which lib/jobs fills. Default false. */
  readonly jobs?: boolean;
  /** Takes a function that tells how the connections for transactions are used now. */
  readonly watchPool?: (read: () => PoolUse) => void;
}

/** Connections for transactions of several statements. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
  /** Most connections. */
  readonly most: number;
}
