import { MeshError } from '@agentmesh/lib/rpc';
import type { AccountState } from '../account-usage.ts';
import { sessionTooLarge, stateTooLarge, stateValueTooLarge } from '../errors.ts';
import type { StateChange, StateScope } from '../state-delta.ts';
import type { StoredEvent } from './events/events.ts';

/** Most bytes that are stored. */
export interface SizeLimits {
  /** One key of a state, with its value as JSON. */
  readonly stateValueBytes: number;
  /** All keys and values of one scope: of a session, of a user in an app, or of an app. */
  readonly stateScopeBytes: number;
  /** All events of a session. */
  readonly sessionBytes: number;
  /** All state of an account. */
  readonly accountState: AccountState;
}

/** Bytes that a key of the state takes besides itself and its value. */
export const bytesOfRow = 64;

/** Bytes that state changes count in the state of the account. Values that they replace count until the account is counted anew. */
function countedBytes(changes: readonly StateChange[]): number {
  let bytes = 0;
  for (const change of changes) if (change.value !== null) bytes += bytesOfChange(change) + bytesOfRow;
  return bytes;
}

/** Bytes of a state change as it is stored: key and JSON value; 0 for one that deletes the key. */
function bytesOfChange({ key, value }: StateChange): number {
  return value === null ? 0 : Buffer.byteLength(key) + Buffer.byteLength(value);
}

/** Bytes of the JSON of events. */
export function bytesOfEvents(events: readonly Pick<StoredEvent, 'json'>[]): number {
  return events.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}

/** Bytes that state changes add to each scope that they set keys of. */
export function addedByScope(changes: readonly StateChange[]): Map<StateScope, number> {
  const added = new Map<StateScope, number>();
  for (const change of changes) {
    if (change.value !== null) added.set(change.scope, (added.get(change.scope) ?? 0) + bytesOfChange(change));
  }
  return added;
}

/**
 * Checks what can be checked without the database: each value, the changes of each scope together, and the state of the account. Answers the bytes that the
 * changes count in the state of the account, for `AccountState.add` when they are stored.
 *
 * @throws MeshError resource_exhausted `state_value_too_large`, `state_too_large`, `account_state`
 */
export function checkChanges(accountId: string, changes: readonly StateChange[], limits: SizeLimits): number {
  if (changes.length === 0) return 0;
  for (const change of changes) {
    if (bytesOfChange(change) > limits.stateValueBytes) throw stateValueTooLarge(change.key, limits.stateValueBytes);
  }
  for (const bytes of addedByScope(changes).values()) {
    if (bytes > limits.stateScopeBytes) throw stateTooLarge(limits.stateScopeBytes);
  }
  const counted = countedBytes(changes);
  if (counted > 0) limits.accountState.check(accountId, counted);
  return counted;
}

/** Error code of the SQL function `at_most`. */
const aboveLimit = 'AM413';

/** The error that a caller gets for a statement that failed in `at_most`; any other error unchanged. */
export function toSizeError(error: unknown, limits: SizeLimits): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === aboveLimit)) return error;
  const toError = refusals[error.message];
  return toError === undefined ? error : toError(limits);
}

const refusals: Readonly<Record<string, (limits: SizeLimits) => MeshError>> = {
  state_too_large: ({ stateScopeBytes }) => stateTooLarge(stateScopeBytes),
  session_too_large: ({ sessionBytes }) => sessionTooLarge(sessionBytes),
};

/** Whether something was refused because of its size. */
export function isSizeError(error: unknown): error is MeshError {
  return error instanceof MeshError && sizeReasons.has(error.reason);
}

const sizeReasons = new Set([
  'state_value_too_large',
  'state_too_large',
  'session_too_large',
  'run_too_large',
  'account_state',
]);

/** SQL expression: `bytes`, unless they are more than a session may hold. The function is called only for its error: a call costs more than the rest of it. */
export function withinSession(bytes: string, most: string): string {
  return `case when ${bytes} <= ${most}::bigint then ${bytes} else at_most(${bytes}, ${most}::bigint, 'session_too_large') end`;
}
