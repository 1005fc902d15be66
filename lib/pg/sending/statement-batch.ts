import { compileFunction } from 'node:vm';
import type { Connection, CustomTypesConfig, FieldDef, QueryConfig, Submittable } from 'pg';
import { serialize } from 'pg-protocol';
import { bindMessage } from './bind-message.ts';
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

type Parse = (text: string) => unknown;

/** Makes a row of the texts of its fields. */
type MakeRow = (fields: readonly (string | null)[]) => Row;

/**
 * The outcome of a batch: committed, with the rows of each statement; or rolled back, because the statement with index `at`
 * failed. `at` is the number of statements when the commit failed.
 */
export type BatchOutcome = { readonly rows: readonly Row[][] } | { readonly error: Error; readonly at: number };

/** The statements that a connection has prepared, by name, with what makes their rows. */
export type Prepared = Map<string, MakeRow>;

const execute = serialize.execute();
const sync = serialize.sync();
const describe = serialize.describe({ type: 'P' });

/** Prepares a statement for sending. Throws for a value that cannot be a parameter. */
export function bindStatement({ name = '', text, types, values = [] }: QueryConfig): BoundStatement {
  return { name, text, types, bind: bindMessage(name, values) };
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
    if (name !== '' && this.#makerOf(name) !== undefined) return [bind, execute];
    this.#described.set(name, makeEmpty);
    return [serialize.close({ type: 'S', name }), serialize.parse({ name, text }), bind, describe, execute];
  }

  #makerOf(name: string): MakeRow | undefined {
    return this.#described.get(name) ?? this.#prepared.get(name);
  }

  handleRowDescription({ fields }: { fields: readonly FieldDef[] }): void {
    const statement = this.#statements[this.#current];
    if (statement === undefined) return;
    const { name, types = rowTypes } = statement;
    const parserOf = types.getTypeParser as (oid: number, format: 'text') => Parse;
    const parsers = fields.map((field) => parserOf(field.dataTypeID, 'text'));
    this.#described.set(name, name === '' ? rowMaker(fields, parsers) : compiledRowMaker(fields, parsers));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const statement = this.#statements[this.#current];
    const make = (statement && this.#makerOf(statement.name)) ?? makeEmpty;
    this.#rows[this.#current]?.push(make(fields));
  }

  handleCommandComplete(): void {
    this.#current += 1;
  }

  handleEmptyQuery(): void {
    this.#current += 1;
  }

  handleReadyForQuery(): void {
    for (const [name, make] of this.#described) this.#prepared.set(name, make);
    this.#done({ rows: this.#rows });
  }

  handleError(error: Error): void {
    this.#done({ error, at: this.#current });
  }
}

type Named = Pick<FieldDef, 'name'>;

function makeEmpty(): Row {
  return {};
}

function rowMaker(columns: readonly Named[], parsers: readonly Parse[]): MakeRow {
  return (fields) =>
    Object.fromEntries(columns.map(({ name }, index) => [name, parsed(fields[index], parsers[index])]));
}

function parsed(field: string | null | undefined, parse: Parse | undefined): unknown {
  return field === null || field === undefined ? null : parse?.(field);
}

interface Compiled {
  readonly parsers: readonly Parse[];
  readonly make: MakeRow;
}

/** By the names of the columns. A connection prepares all its statements anew when one of them has failed: nothing is compiled again then. */
const compiled = new Map<string, Compiled>();

function compiledRowMaker(columns: readonly Named[], parsers: readonly Parse[]): MakeRow {
  const key = JSON.stringify(columns.map(({ name }) => name));
  const known = compiled.get(key);
  if (known?.parsers.every((parser, index) => parser === parsers[index]) === true) return known.make;
  const make = compileRowMaker(columns, parsers);
  compiled.set(key, { parsers, make });
  return make;
}

/** A function for the rows of a prepared statement, which have one hidden class then: V8 would find the place of each column anew for each row. */
function compileRowMaker(columns: readonly Named[], parsers: readonly Parse[]): MakeRow {
  const fields = columns.map(({ name }, index) => {
    const key = name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
    return `${key}: fields[${index}] == null ? null : parsers[${index}](fields[${index}])`;
  });
  const make = compileFunction(`return { ${fields.join(', ')} };`, ['parsers', 'fields']) as (
    ...given: [readonly Parse[], readonly (string | null)[]]
  ) => Row;
  return (texts) => make(parsers, texts);
}
