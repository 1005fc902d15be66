import type { Commit } from '@agentmesh/lib/idempotency';
import { afterChange, checkAccountId } from '@agentmesh/lib/rpc';
import type { CreateSubscriptionResponseSchema } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../mail/context.ts';
import { pubsubNotConfigured } from '../../errors.ts';
import { resolveLabel } from '../../mail/google/resolve-label.ts';
import type { AccessToken } from '../../mail/provider/mail-accounts.ts';
import { providerFailure } from '../../mail/provider/provider-failure.ts';
import { createAtProvider } from '../../mail/subscriptions/create.ts';
import { type Draft, readDraft } from '../../mail/subscriptions/draft.ts';
import { checkOwner } from '../../mail/subscriptions/resource.ts';
import type { Handlers } from './handlers.ts';
import { subscriptionOf } from './subscription-of.ts';

/** Dependencies of a creation: `commit` runs the transaction that makes the subscription active. */
interface Creating extends Context {
  readonly commit: Commit<MessageInitShape<typeof CreateSubscriptionResponseSchema>>;
}

/** Subscribes to a mailbox. */
export function createSubscription(context: Creating): Handlers['createSubscription'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const draft = readDraft(request);
    const id = await create(context, accountId, draft).catch((error: unknown) => {
      throw providerFailure(error, draft.provider);
    });
    return { subscription: await afterChange(subscriptionOf(context, accountId, id)) };
  };
}

/** The steps are in the order of the API's specification: the mail account, a fresh access token, the provider, the record. */
async function create(context: Creating, accountId: string, draft: Draft): Promise<number> {
  const { mailAccounts, checkAgent, topic, commit, clock } = context;
  await mailAccounts.check(accountId, draft.provider);
  await checkAgent(accountId, draft.agentId);
  if (draft.provider === 'google' && topic === undefined) throw pubsubNotConfigured();
  const token = await mailAccounts.accessToken(draft.provider, { accountId }, { fresh: true });
  const resource = await resourceAt(context, draft, { accountId, token });
  return createAtProvider(context, {
    accountId,
    draft: { ...draft, resource },
    token,
    activateIn: (id, work) =>
      commit(work, async (_, tx) => ({ subscription: await subscriptionOf({ db: tx, clock }, accountId, id) })),
  });
}

interface Mailbox {
  readonly accountId: string;
  readonly token: AccessToken;
}

/** Resource to watch in this mailbox. Throws `subscription_resource_invalid` when the mailbox does not have it. */
async function resourceAt(
  { gmail }: Context,
  { provider, resource }: Draft,
  { accountId, token }: Mailbox,
): Promise<string> {
  const { accessToken } = token;
  if (provider === 'google') return resolveLabel(gmail, resource, { mailAccount: { accountId }, accessToken });
  checkOwner(resource, token);
  return resource;
}
