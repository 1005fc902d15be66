import { type Constants, nameParameters, type Placeholders, type Queryable, type Statement } from '@agentmesh/lib/pg';
import type { StateChange } from '../state-delta.ts';
import { insertNonces, pushNonces } from './credential-requests.ts';
import { type Fragment, insertEvent, insertEvents, pushEvents, type StoredEvent } from './events/events.ts';
import { checkChanges, type SizeLimits, toSizeError } from './sizes.ts';
import { pushSet, pushSized, pushUnset, setSizedState, setState, sizeState, unsetState } from './state.ts';

/** Events and state changes that a statement adds to a session, besides its own effect. */
export interface Write {
  readonly events: readonly StoredEvent[];
  readonly changes: readonly StateChange[];
  readonly limits: SizeLimits;
  /** The statement creates the session, so that nothing is in its own scope yet. */
  readonly isNew?: boolean;
}

export interface WriteQueryOptions<Values> {
  /** Name of the statement. The shape of the write is appended. */
  readonly name: string;
  /** Relation of one row with account_id, app_name, user_id, pk, and base: the sequence before the new events. */
  readonly source: string;
  /** Returns the SQL. `writes` are the CTEs that store the write, each led by a comma; they may be empty. */
  readonly text: (param: Placeholders<Values>, writes: string, added: AddedEvents) => string;
  /**
   * Groups of values that most calls do not have: null, or false. A statement for them has no parameters for the groups of which it has nothing, because each
   * parameter costs PostgreSQL time, also one that is null.
   */
  readonly rare?: readonly (readonly (keyof Values)[])[];
}

/** SQL expressions about the events of a write. */
export interface AddedEvents {
  readonly count: string;
  /** Unix time in seconds of the last one; null when there is none. */
  readonly lastTime: string;
}

/**
 * Runs a statement with a write. Rejects with resource_exhausted `state_value_too_large`, `state_too_large`, `session_too_large` or `account_state`, and
 * stores nothing, when something would be larger than the limits of the write.
 */
export type WriteQuery<Values, Row> = (db: Queryable, values: Values, write: Write) => Promise<Row[]>;

/**
 * Creates a statement that stores a write. There is one prepared statement for each shape of a write: no event, one event or several; with
 * or without state to set, state to delete, and nonces. PostgreSQL spends time on every step of a plan, even on one that does nothing, and
 * most writes have one event and nothing else.
 */
export function createWriteQuery<Values extends { readonly accountId: string }, Row extends object>(
  options: WriteQueryOptions<Values>,
): WriteQuery<Values, Row> {
  const longest = `${options.name}:${longestShape}${'+0'.repeat(options.rare?.length ?? 0)}`;
  if (longest.length > mostNameBytes)
    throw new Error(`a statement has a longer name than ${mostNameBytes} bytes: ${longest}`);
  const queries = new Map<string, WriteQuery<Values, Row>>();
  const store = (db: Queryable, values: Values, write: Write): Promise<Row[]> => {
    const shape = `${shapeOf(write)}${rareOf(options, values)}`;
    let query = queries.get(shape);
    if (query === undefined) {
      query = createShape(options, shape, { write, constants: constantsOf(options, values) });
      queries.set(shape, query);
    }
    return query(db, values, write).catch((error: unknown) => {
      throw toSizeError(error, write.limits);
    });
  };
  const storeState: WriteQuery<Values, Row> = (db, values, write) =>
    countState(values.accountId, write, () => store(db, values, write));
  return (db, values, write) => (write.changes.length === 0 ? store : storeState)(db, values, write);
}

/** Stores rows whose state is checked before, and counts meanwhile and afterwards. */
async function countState<Row>(
  accountId: string,
  { changes, limits }: Write,
  store: () => Promise<Row[]>,
): Promise<Row[]> {
  const counted = checkChanges(accountId, changes, limits);
  if (counted === 0) return store();
  using _held = limits.accountState.hold(accountId, counted);
  const rows = await store();
  if (rows.length > 0) limits.accountState.add(accountId, counted);
  return rows;
}

/** PostgreSQL tells names of statements apart by their first bytes, so many as these. */
const mostNameBytes = 63;
const longestShape = 'no-event+set+sized+unset+nonces';

/** True when a call has something of a group of rare values. */
function hasAny<Values>(values: Values, group: readonly (keyof Values)[]): boolean {
  return group.some((name) => values[name] !== null && values[name] !== false);
}

/** The groups of rare values that a call has, by number: names are short. */
function rareOf<Values>({ rare = [] }: Pick<WriteQueryOptions<Values>, 'rare'>, values: Values): string {
  let numbers = '';
  for (let number = 0; number < rare.length; number += 1)
    if (hasAny(values, rare[number] ?? [])) numbers += `+${number}`;
  return numbers;
}

/** Literals for the values of the groups that a call does not have. */
function constantsOf<Values>(
  { rare = [] }: Pick<WriteQueryOptions<Values>, 'rare'>,
  values: Values,
): Constants<Values> {
  const absent = rare.filter((group) => !hasAny(values, group)).flat();
  return Object.fromEntries(absent.map((name) => [name, String(values[name])])) as Constants<Values>;
}

interface Shape<Values> {
  readonly write: Write;
  readonly constants: Constants<Values>;
}

/** The parameters of the write come first, then the named ones. PostgreSQL copies and measures the text at each call, so it has no indentation. */
function createShape<Values extends { readonly accountId: string }, Row extends object>(
  { name, source, text }: WriteQueryOptions<Values>,
  shape: string,
  { write, constants }: Shape<Values>,
): WriteQuery<Values, Row> {
  const { ctes, parameters } = writeSql(write, source);
  const named = nameParameters<Values>((param) => text(param, ctes, addedBy(write)), parameters, constants);
  const statement: Statement = {
    name: `${name}:${shape}`,
    text: named.text.replaceAll(/\s+/g, ' '),
    groupCommit: true,
  };
  const shapeHas = { sets: sets(write), sized: isSized(write), unsets: unsets(write), nonces: asks(write) };
  return (db, values, { events, changes, limits, isNew }) => {
    const sent: unknown[] = [];
    if (events.length > 0) pushEvents(sent, events);
    if (shapeHas.sized) pushSized(sent, { changes, isNew, most: limits.stateScopeBytes });
    if (shapeHas.sets) pushSet(sent, changes);
    if (shapeHas.unsets) pushUnset(sent, changes);
    if (shapeHas.nonces) pushNonces(sent, events);
    named.pushValues(sent, values);
    return db.query<Row & Record<string, unknown>>(statement, sent, values.accountId);
  };
}

/** The columns of events are the first parameters of a write: see `pushEvents`. */
function addedBy({ events }: Write): AddedEvents {
  if (events.length === 0) return { count: '0', lastTime: 'null' };
  if (events.length === 1) return { count: '1', lastTime: '$4' };
  const count = 'cardinality($4::float8[])';
  return { count, lastTime: `($4::float8[])[${count}]` };
}

function writeSql(write: Write, source: string): { ctes: string; parameters: number } {
  const ctes: string[] = [];
  let parameters = 0;
  const add = (cte: (source: string, first: number) => Fragment): void => {
    const fragment = cte(source, parameters + 1);
    ctes.push(fragment.text);
    parameters += fragment.parameters;
  };
  if (write.events.length > 0) add(write.events.length === 1 ? insertEvent : insertEvents);
  if (isSized(write)) add(sizeState);
  if (sets(write)) add(isSized(write) ? setSizedState : setState);
  if (unsets(write)) add(unsetState);
  if (asks(write)) add(insertNonces);
  return { ctes: ctes.map((cte) => `, ${cte}`).join(''), parameters };
}

/** Whether the write gives a value to a key of the state. */
function sets({ changes }: Write): boolean {
  return changes.some(({ value }) => value !== null);
}

/** Whether the write gives values to keys of scopes that may hold others. */
function isSized({ changes, isNew }: Write): boolean {
  return changes.some(({ scope, value }) => value !== null && !(isNew === true && scope === 'session'));
}

/** Whether the write deletes a key of the state. */
function unsets({ changes }: Write): boolean {
  return changes.some(({ value }) => value === null);
}

/** Whether an event of the write asks for a credential. */
function asks({ events }: Write): boolean {
  return events.some(({ nonces }) => nonces !== undefined);
}

function shapeOf(write: Write): string {
  const { length } = write.events;
  const count = length === 0 ? 'no-event' : length === 1 ? 'event' : 'events';
  return `${count}${sets(write) ? '+set' : ''}${isSized(write) ? '+sized' : ''}${unsets(write) ? '+unset' : ''}${asks(write) ? '+nonces' : ''}`;
}
