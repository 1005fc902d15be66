import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import type { Context } from './context.ts';

/** A mailbox whose subscriptions could not be renewed, or whose mail runs no agent any more. */
export interface Failing {
  readonly accountId: string;
  readonly mailbox: string;
  /** Sentence for the owner. */
  readonly reason: string;
  /** The subscription works, but its agent is gone: no mail is sent about it. */
  readonly isOfAgent?: boolean;
}

/** Added in the transaction that writes the first failure of a watch, or that the agent of a subscription is gone. */
export const tellOwner = defineTask<Failing>({
  name: 'tell-owner',
  read: (payload) => {
    const { accountId, mailbox = '', reason = '', isOfAgent = false } = payload as Partial<Failing>;
    if (typeof accountId !== 'string') throw new TypeError('not an account');
    return { accountId, mailbox, reason, isOfAgent };
  },
  retrySeconds: [5, 30, 120, 600],
  mostAttempts: 20,
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
  personal: true,
});

/** Makes a notice for the owner, and asks auth to mail it, which auth does at most once in six hours. A repeated attempt makes no second notice. */
export function ownerTeller({ auth, notices }: Pick<Context, 'auth' | 'notices'>): Handler<Failing> {
  return async ({ accountId, mailbox, reason, isOfAgent = false }, { jobId, signal }) => {
    const options = { timeoutMs: 10_000, signal };
    if (!isOfAgent) await auth.sendNotice({ accountId, kind: NoticeKind.SUBSCRIPTION_FAILING }, options);
    const notice = {
      accountId,
      key: `subscription_failing ${jobId}`,
      type: 'subscription_failing',
      title: `Mail at ${mailbox.slice(0, 320)} may not run your agents`,
      body: isOfAgent ? reason : `A subscription could not be renewed. ${reason}`,
    };
    await notices.addNotice(notice, options);
  };
}
