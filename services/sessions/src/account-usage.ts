import type { Usage } from '@agentmesh/lib/usage';
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

/** Throws resource_exhausted `account_sessions` when the account has as many sessions as it may. */
export function checkSessions({ usage, accountLimits }: AccountUsage, accountId: string): void {
  if (usage.of(accountId, 'sessions') >= accountLimits.sessions) throw accountSessions();
}

/**
 * Throws resource_exhausted `account_stored_bytes` when the events of the account have as many bytes as they may. The events of running attempts
 * are stored all the same.
 */
export function checkBytes({ usage, accountLimits }: AccountUsage, accountId: string): void {
  if (usage.of(accountId, 'bytes') >= accountLimits.bytes) throw accountStoredBytes();
}
