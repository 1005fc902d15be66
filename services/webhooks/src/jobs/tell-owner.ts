import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';

/** An account whose subscription could not be renewed. */
export interface Failing {
  readonly accountId: string;
}

/** Added in the transaction that writes the first failure of a watch. */
export const tellOwner = defineTask<Failing>({
  name: 'tell-owner',
  read: (payload) => {
    const { accountId } = payload as Partial<Failing>;
    if (typeof accountId !== 'string') throw new TypeError('not an account');
    return { accountId };
  },
  retrySeconds: [5, 30, 120, 600],
  mostAttempts: 20,
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 5,
});

/** Asks auth to mail the owner, which it does at most once in six hours. */
export function ownerTeller({ auth }: Pick<Context, 'auth'>): Handler<Failing> {
  return async ({ accountId }, { signal }) => {
    await auth.sendNotice({ accountId, kind: NoticeKind.SUBSCRIPTION_FAILING }, { timeoutMs: 10_000, signal });
  };
}
