import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { Provider } from '../provider.ts';

/** A log with what is needed to find its attachments. */
export interface AttachedLog {
  readonly account_id: string;
  readonly id: number;
  readonly provider: Provider;
  readonly agent_id: number;
  readonly message_id: string;
  /** Null: nothing is known of the mailbox any more. */
  readonly integration_id: bigint | null;
  /** JSON: [{filename, content_type, size}]. */
  readonly attachments: string;
}

/** One log of an account, to read its attachments. */
export const selectAttachedLog = createQuery<{ accountId: string; id: number }, AttachedLog>({
  name: 'select-attached-log',
  text: (param) => `select l.account_id, l.id, l.provider, l.agent_id, l.message_id, l.attachments, coalesce(
        (select w.integration_id from subscriptions s join watches w on w.account_id = s.account_id and w.id = s.watch_id
          where s.account_id = l.account_id and s.id = l.subscription_id),
        (select max(integration_id) from watches
          where account_id = l.account_id and provider = l.provider and mailbox = l.mailbox)
      ) as integration_id
    from logs l where l.account_id = ${param.accountId} and l.id = ${param.id}`,
});

interface Claim {
  readonly accountId: string;
  readonly id: number;
  readonly until: Date;
}

const claim = createQuery<Claim & { now: Date }, { id: number }>({
  name: 'claim-attachments',
  text: (param) => `update logs set attachments_claimed_until = ${param.until}
    where account_id = ${param.accountId} and id = ${param.id}
      and (attachments_claimed_until is null or attachments_claimed_until <= ${param.now}) returning id`,
});

/** Claims the download of a log's attachments. Answers false while another call has it. */
export async function claimAttachments(db: Queryable, values: Claim & { now: Date }): Promise<boolean> {
  return (await claim(db, values)).length > 0;
}

const release = createQuery<Claim>({
  name: 'release-attachments',
  text: (param) => `update logs set attachments_claimed_until = null
    where account_id = ${param.accountId} and id = ${param.id} and attachments_claimed_until = ${param.until}`,
});

/** Gives a claim back, unless another call has taken it over. */
export async function releaseAttachments(db: Queryable, values: Claim): Promise<void> {
  await release(db, values);
}
