import pg, { type Connection, type CustomTypesConfig, type QueryConfig, type Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import { rowTypes } from './row-types.ts';

/** A statement that is ready to be sent. One without a name is prepared each time. */
export interface BoundStatement {
  readonly name: string;
  readonly text: string;
  /** How columns are parsed; default: `rowTypes`. */
  readonly types?: CustomTypesConfig | undefined;
  /** The Bind message with the values. */
  readonly bind: Buffer;
}

type Row = Record<string, unknown>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/**
 * The outcome of a batch: committed, with the rows of each statement; or rolled back, because the statement with index `at`
 * failed. `at` is the number of statements when the commit failed.
 */
export type BatchOutcome = { readonly rows: readonly Row[][] } | { readonly error: Error; readonly at: number };

/** The statements that a connection has prepared, by name, and the columns of their rows. */
export type Prepared = Map<string, readonly Column[]>;

// `pg` passes every value through this function, but its type declaration lacks it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;
const execute = serialize.execute();
const sync = serialize.sync();
const describe = serialize.describe({ type: 'P' });

/** Prepares a statement for sending. Throws for a value that cannot be a parameter. */
export function bindStatement({ name = '', text, types, values = [] }: QueryConfig): BoundStatement {
  return { name, text, types, bind: serialize.bind({ statement: name, values, valueMapper: prepareValue }) };
}

/**
 * Statements that are sent in one write and answered in one: PostgreSQL runs what comes before a Sync as one transaction, which
 * any error rolls back. https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 *
 * A statement is described when it is prepared, and not again. For a client that does not pipeline.
 */
export class StatementBatch implements Submittable {
  readonly #statements: readonly BoundStatement[];
  readonly #prepared: Prepared;
  readonly #done: (outcome: BatchOutcome) => void;
  readonly #described: Prepared = new Map();
  readonly #rows: Row[][];
  #current = 0;

  /** `done` is called once. */
  constructor(statements: readonly BoundStatement[], prepared: Prepared, done: (outcome: BatchOutcome) => void) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#done = done;
    this.#rows = statements.map(() => []);
  }

  submit(connection: Connection): void {
    const messages = this.#statements.flatMap((statement) => this.#messages(statement));
    connection.stream.write(Buffer.concat([...messages, sync]));
  }

  /** Closes the statement first, because a failed earlier batch may have prepared it. Closing an unknown statement is no error. */
  #messages({ name, text, bind }: BoundStatement): Buffer[] {
    if (name !== '' && this.#columns(name) !== undefined) return [bind, execute];
    this.#described.set(name, []);
    return [serialize.close({ type: 'S', name }), serialize.parse({ name, text }), bind, describe, execute];
  }

  #columns(name: string): readonly Column[] | undefined {
    return this.#described.get(name) ?? this.#prepared.get(name);
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const statement = this.#statements[this.#current];
    if (statement === undefined) return;
    const { name, types = rowTypes } = statement;
    const parserOf = types.getTypeParser as (oid: number, format: 'text') => Column['parse'];
    const columns = fields.map((field) => ({ name: field.name, parse: parserOf(field.dataTypeID, 'text') }));
    this.#described.set(name, columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const statement = this.#statements[this.#current];
    const columns = (statement && this.#columns(statement.name)) ?? [];
    const row: Row = {};
    columns.forEach(({ name, parse }, index) => {
      const field = fields[index] ?? null;
      row[name] = field === null ? null : parse(field);
    });
    this.#rows[this.#current]?.push(row);
  }

  handleCommandComplete(): void {
    this.#current += 1;
  }

  handleEmptyQuery(): void {
    this.#current += 1;
  }

  handleReadyForQuery(): void {
    for (const [name, columns] of this.#described) this.#prepared.set(name, columns);
    this.#done({ rows: this.#rows });
  }

  handleError(error: Error): void {
    this.#done({ error, at: this.#current });
  }
}
