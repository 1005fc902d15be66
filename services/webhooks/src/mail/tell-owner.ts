import { defineTask, type Handler } from '@agentmesh/lib/jobs';
import { NoticeKind } from '@agentmesh/proto/auth/v1';
import { selectSubscription } from '../store/subscriptions.ts';
import { selectFailingWatch } from '../store/watches/watch-outcomes.ts';
import type { Context } from './context.ts';

/** A watch that fails since its success at `registeredAt` (ISO 8601), or a subscription whose agent is gone. */
export type Fact =
  | { readonly watchId: string; readonly registeredAt: string | null }
  | { readonly subscriptionId: number };

/** The mail to the owner of a mailbox whose subscriptions could not be renewed. */
export interface Mailed {
  readonly accountId: string;
  readonly fact: Fact;
}

/** The notice of a mailbox whose subscriptions could not be renewed, or whose mail runs no agent any more. */
export interface Failing {
  readonly accountId: string;
  readonly mailbox: string;
  /** Text for the owner. */
  readonly reason: string;
  /** Absent in a job of version 0.1.0: taken as true. */
  readonly fact?: Fact;
  /** False in a job of version 0.1.0 that asks for a mail, too. A process of that version mails for no other job. */
  readonly isOfAgent: boolean;
}

const attempts = {
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600],
  timeoutSeconds: 30,
  atOnce: 2,
  pollSeconds: 8,
};

/**
 * Added in the transaction that writes the first failure of a watch, or that the agent of a subscription is gone. Retried until the owner is told, or the fact
 * is not true any more, or the account is erased.
 */
export const tellOwner = defineTask<Failing>({
  ...attempts,
  name: 'tell-owner',
  read: (payload) => {
    const { accountId, mailbox = '', reason = '', isOfAgent = false, ...others } = payload as Partial<Failing>;
    if (typeof accountId !== 'string') throw new TypeError('not an account');
    return { ...others, accountId, mailbox, reason, isOfAgent };
  },
});

/** Added with the notice, and retried like it, in a queue of its own: neither waits for the service of the other. */
export const mailOwner = defineTask<Mailed>({
  ...attempts,
  name: 'mail-owner',
  read: (payload) => {
    const { accountId, fact } = payload as Partial<Mailed>;
    if (typeof accountId !== 'string' || fact === undefined) throw new TypeError('not a failing mailbox');
    return { accountId, fact };
  },
});

/** Makes a notice for the owner. A repeated attempt makes no second one. */
export function ownerTeller(context: Pick<Context, 'auth' | 'db' | 'notices'>): Handler<Failing> {
  return async (failing, { jobId, signal }) => {
    if (!(await isStillTrue(context.db, failing))) return;
    const { accountId, mailbox, reason, isOfAgent } = failing;
    if (!isOfAgent) await mail(context, accountId, signal);
    const notice = {
      accountId,
      key: `subscription_failing ${jobId}`,
      type: 'subscription_failing',
      title: `Mail at ${mailbox.slice(0, 320)} may not run your agents`,
      body: isOfAgent ? reason : notRenewed(reason),
    };
    await context.notices.addNotice(notice, { timeoutMs: callMs, signal });
  };
}

/** Asks auth to mail the owner. */
export function ownerMailer(context: Pick<Context, 'auth' | 'db'>): Handler<Mailed> {
  return async ({ accountId, fact }, { signal }) => {
    if (await isStillTrue(context.db, { accountId, fact })) await mail(context, accountId, signal);
  };
}

/** Text for the owner of a mailbox whose subscription could not be renewed. */
export function notRenewed(reason: string): string {
  return `A subscription could not be renewed. ${reason}`;
}

const callMs = 10_000;

/** Auth mails at most once in six hours. */
async function mail({ auth }: Pick<Context, 'auth'>, accountId: string, signal: AbortSignal): Promise<void> {
  await auth.sendNotice({ accountId, kind: NoticeKind.SUBSCRIPTION_FAILING }, { timeoutMs: callMs, signal });
}

async function isStillTrue(
  db: Context['db'],
  { accountId, reason, fact }: Pick<Failing, 'accountId' | 'fact'> & { readonly reason?: string },
): Promise<boolean> {
  if (fact === undefined) return true;
  if ('watchId' in fact) {
    const registeredAt = fact.registeredAt === null ? null : new Date(fact.registeredAt);
    return (await selectFailingWatch(db, { accountId, id: BigInt(fact.watchId), registeredAt })).length > 0;
  }
  const [subscription] = await selectSubscription(db, { accountId, id: fact.subscriptionId });
  return subscription?.last_error === reason;
}
