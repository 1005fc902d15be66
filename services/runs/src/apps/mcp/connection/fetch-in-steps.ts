import type { AccountSteps } from '@agentmesh/lib/wait';

type Fetch = typeof globalThis.fetch;

/** A fetch that sends a request, and reads its answer, when an account has a step. */
export function fetchInSteps(fetch: Fetch, steps: Pick<AccountSteps, 'take'>, accountId: string): Fetch {
  return async (input, init) => {
    await steps.take(accountId);
    const response = await fetch(input, init);
    await steps.take(accountId);
    return response;
  };
}
