import type { QueryResultRow } from 'pg';
import type { Queryable, Statement } from './database.ts';

/** Runs one statement with these values, and answers its rows. Values that the statement does not use are not sent. */
export type Query<Values, Row> = (db: Queryable, values: Values) => Promise<Row[]>;

/** SQL placeholders by the names of the values: `param.accountId` is for example `$3`, wherever the text uses it. */
export type Placeholders<Values> = { readonly [Name in keyof Values]-?: string };

export interface QueryOptions<Values> extends Omit<Statement, 'text'> {
  /** Returns the SQL. Called once, when the query is created. */
  readonly text: (param: Placeholders<Values>) => string;
}

/**
 * Creates a statement whose parameters have names. A name that `Values` does not have is a type error. Placeholders are numbered
 * in the order of their first use, so pieces of SQL can be joined without counting parameters.
 *
 * ```ts
 * const renameApp = createQuery<{ id: bigint; name: string }, { renamed_at: Date }>({
 *   name: 'rename-app',
 *   text: (param) => `update apps set name = ${param.name} where id = ${param.id} returning renamed_at`,
 * });
 * const [row] = await renameApp(db, { id: 1n, name: 'echo' });
 * ```
 */
export function createQuery<Values extends object, Row extends object = never>({
  text: build,
  ...options
}: QueryOptions<Values>): Query<Values, Row> {
  const { text, pushValues } = nameParameters(build, 0);
  const statement: Statement = { ...options, text };
  return (db, values) => {
    const sent: unknown[] = [];
    pushValues(sent, values);
    return db.query<Row & QueryResultRow>(statement, sent);
  };
}

export interface NamedParameters<Values> {
  /** The SQL with numbered placeholders. */
  readonly text: string;
  /** Appends the values that the text uses, in the order of its placeholders. */
  readonly pushValues: (to: unknown[], values: Values) => void;
}

/** SQL literals in place of parameters, by the names of their values: for a statement whose values are these. */
export type Constants<Values> = { readonly [Name in keyof Values]?: string };

/** Numbers the placeholders of a text, for statements that have `before` other parameters before the named ones. `constants` are no parameters. */
export function nameParameters<Values extends object>(
  build: (param: Placeholders<Values>) => string,
  before: number,
  constants: Constants<Values> = {},
): NamedParameters<Values> {
  const names: (keyof Values)[] = [];
  const placeholder = (name: keyof Values): string => {
    const constant = constants[name];
    if (constant !== undefined) return constant;
    if (!names.includes(name)) names.push(name);
    return `$${before + names.indexOf(name) + 1}`;
  };
  const param = new Proxy({} as Placeholders<Values>, { get: (_, name) => placeholder(name as keyof Values) });
  const text = build(param);
  return {
    text,
    pushValues: (to, values) => {
      for (const name of names) to.push(values[name]);
    },
  };
}
