import { withinDeadline } from '@agentmesh/lib/wait';
import type { Context } from '../context.ts';
import { selectRegisteredWatches } from '../../store/watches/watches.ts';

/** Longest time in milliseconds that an erasure waits for the providers. */
const timeoutMs = 10_000;

/**
 * Tries to end all registrations of an account at the providers, before its rows are erased. A registration that cannot be ended expires
 * there; its notifications match no row. Never throws because of a provider.
 */
export async function endRegistrations({ db, log, providers }: Context, accountId: string): Promise<void> {
  const watches = await selectRegisteredWatches(db, { accountId });
  const endAll = async (): Promise<number> => {
    const outcomes = await Promise.allSettled(watches.map((watch) => providers.of(watch.provider).end(watch)));
    return outcomes.filter(({ status }) => status === 'rejected').length;
  };
  const failed = watches.length === 0 ? 0 : await withinDeadline(endAll(), timeoutMs, () => watches.length);
  if (failed > 0)
    log.info({ failed }, 'subscriptions of a deleted account could not be ended: they expire at the provider');
}
