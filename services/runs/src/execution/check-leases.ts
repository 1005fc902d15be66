import type { Executor, HeldLease } from './attempt/executor.ts';

/** Asks sessions whether some attempts of this process still hold their turns, and stops those that do not or that are being cancelled. */
export async function checkLeases(
  { executor }: { readonly executor: Pick<Executor, 'leases' | 'renew'> },
  isMeant: (lease: HeldLease) => boolean,
): Promise<void> {
  const leases = executor.leases().filter(isMeant);
  if (leases.length > 0) await executor.renew(leases);
}
