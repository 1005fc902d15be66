import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import { selectSubscription } from '../store/subscriptions.ts';
import { selectFailingWatch } from '../store/watches/watch-outcomes.ts';
import type { Context } from './context.ts';

/** A watch that fails since its success at `registeredAt` (ISO 8601), or a subscription whose agent is gone. */
export type Fact =
  | { readonly watchId: string; readonly registeredAt: string | null }
  | { readonly subscriptionId: number };

/** A mailbox whose subscriptions could not be renewed, or whose mail runs no agent any more. */
export interface Failing {
  readonly accountId: string;
  readonly mailbox: string;
  /** Sentence for the owner. */
  readonly reason: string;
  /** Absent in a job of version 0.1.0: taken as true. */
  readonly fact?: Fact;
  /** Whether the job asks for a mail or makes a notice. Absent in a job of version 0.1.0: both. */
  readonly byMail?: boolean;
  /** Keeps a process of version 0.1.0 from sending a mail, for which `byMail` has no meaning. */
  readonly isOfAgent: boolean;
}

/**
 * Added in the transaction that writes the first failure of a watch, or that the agent of a subscription is gone: a job for the notice, and one for a mail,
 * so that neither waits for the service of the other. Retried until the owner is told, or the fact is not true any more, or the account is erased.
 */
export const tellOwner = defineTask<Failing>({
  name: 'tell-owner',
  read: (payload) => {
    const { accountId, mailbox = '', reason = '', isOfAgent = false, ...others } = payload as Partial<Failing>;
    if (typeof accountId !== 'string') throw new TypeError('not an account');
    return { ...others, accountId, mailbox, reason, isOfAgent };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600],
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
});

/** Makes a notice for the owner, or asks auth to mail it, which auth does at most once in six hours. A repeated attempt makes no second notice. */
export function ownerTeller({ auth, db, notices }: Pick<Context, 'auth' | 'db' | 'notices'>): Handler<Failing> {
  return async (failing, { jobId, signal }) => {
    if (!(await isStillTrue(db, failing))) return;
    const { accountId, mailbox, reason, isOfAgent, byMail = !isOfAgent } = failing;
    const options = { timeoutMs: 10_000, signal };
    if (byMail) await auth.sendNotice({ accountId, kind: NoticeKind.SUBSCRIPTION_FAILING }, options);
    if (failing.byMail) return;
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

async function isStillTrue(db: Context['db'], { accountId, reason, fact }: Failing): Promise<boolean> {
  if (fact === undefined) return true;
  if ('watchId' in fact) {
    const registeredAt = fact.registeredAt === null ? null : new Date(fact.registeredAt);
    return (await selectFailingWatch(db, { accountId, id: BigInt(fact.watchId), registeredAt })).length > 0;
  }
  const [subscription] = await selectSubscription(db, { accountId, id: fact.subscriptionId });
  return subscription?.last_error === reason;
}
