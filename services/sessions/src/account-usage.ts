import type { Usage } from '@agentmesh/lib/usage';
import type { CheckedKey } from './session-key.ts';
import { accountSessions, accountStoredBytes } from './errors.ts';

type SessionUsage = Usage<'sessions' | 'bytes'>;

/** Most sessions, and most bytes of their events, of one account. */
export interface AccountLimits {
  readonly sessions: number;
  readonly bytes: number;
}

/** Usage of accounts and their limits. */
export interface AccountUsage {
  readonly usage: SessionUsage;
  readonly accountLimits: AccountLimits;
}

/**
 * Room for one more session, which is held until it is disposed. Throws resource_exhausted `account_sessions` when the account has as many sessions as it may, with
 * those that are being created.
 */
export function takeRoom(
  { usage, accountLimits }: AccountUsage,
  { accountId, appName, userId, sessionId }: CheckedKey,
): Disposable {
  const names = [JSON.stringify([appName, userId, sessionId])];
  const room = usage.take(accountId, { kind: 'sessions', names, most: accountLimits.sessions });
  if (room === undefined) throw accountSessions();
  return room;
}

/**
 * Throws resource_exhausted `account_stored_bytes` when the events of the account have as many bytes as they may. The events of running attempts
 * are stored all the same.
 */
export function checkBytes({ usage, accountLimits }: AccountUsage, accountId: string): void {
  if (usage.of(accountId, 'bytes') >= accountLimits.bytes) throw accountStoredBytes();
}
