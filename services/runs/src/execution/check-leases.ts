import type { HeldLease } from './attempt/executor.ts';
import type { Running } from './running.ts';

/** Asks sessions whether some attempts of this process still hold their turns, and stops those that do not or that are being cancelled. */
export async function checkLeases(
  { executor, sessions, owner }: Pick<Running, 'executor' | 'sessions' | 'owner'>,
  isMeant: (lease: HeldLease) => boolean,
): Promise<void> {
  const leases = executor.leases().filter(isMeant);
  if (leases.length === 0) return;
  const { lost, cancelled, interrupted } = await sessions.renewLeases({ owner, leases }, { timeoutMs: 2_500 });
  executor.stopLost(lost);
  executor.stopCancelled(interrupted, 'interrupted');
  executor.stopCancelled(cancelled);
}
