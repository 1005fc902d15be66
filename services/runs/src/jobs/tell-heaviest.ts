import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';

/** Tells at once, and not with the next renewal, when another account than before holds most of the memory of this process: it may die soon. */
export function createTellHeaviest({ executor, log }: Pick<Context, 'executor' | 'log'>): Job {
  let told = '';
  return {
    pauseMs: 1_000,
    failure: 'the account that holds most of the memory cannot be told',
    async run() {
      const accountId = executor.heaviest();
      if (accountId === told) return;
      if (accountId !== '') log.warn({ accountId }, 'runs of an account hold most of the memory of this process');
      await executor.renew([]);
      told = accountId;
    },
  };
}
