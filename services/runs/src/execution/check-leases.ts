import type { Executor, HeldLease } from './attempt/executor.ts';

/** Asks sessions whether some attempts of this process still hold their turns, and stops those that do not or that are being cancelled. */
export function checkLeases(
  { executor }: { readonly executor: Pick<Executor, 'leases' | 'renew'> },
  isMeant: (lease: HeldLease) => boolean,
): Promise<void> {
  return executor.renew(executor.leases().filter(isMeant));
}
