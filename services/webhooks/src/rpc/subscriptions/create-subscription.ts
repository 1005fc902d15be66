import type { Commit } from '@agentmesh/lib/idempotency';
import { afterChange, checkAccountId } from '@agentmesh/lib/rpc';
import type { CreateSubscriptionResponseSchema } from '@agentmesh/proto/webhooks/v1/subscriptions';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../../mail/context.ts';
import { providerFailure } from '../../mail/provider/provider-failure.ts';
import { createAtProvider } from '../../mail/subscriptions/create.ts';
import { type Draft, readDraft } from '../../mail/subscriptions/draft.ts';
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
    const draft = readDraft(context.providers, request);
    const id = await create(context, accountId, draft).catch((error: unknown) => {
      throw providerFailure(error, draft.provider);
    });
    return { subscription: await afterChange(subscriptionOf(context, accountId, id)) };
  };
}

/** The steps are in the order of the API's specification: the mail account, a fresh access token, the provider, the record. */
async function create(context: Creating, accountId: string, draft: Draft): Promise<number> {
  const { mailAccounts, checkAgent, commit, clock } = context;
  const { provider } = draft;
  await mailAccounts.check(accountId, provider.word);
  await checkAgent(accountId, draft.agentId);
  provider.checkConfigured();
  const token = await mailAccounts.accessToken(provider.word, { accountId }, { fresh: true });
  const resource = await provider.resourceOf(draft.resource, { accountId, token });
  return createAtProvider(context, {
    accountId,
    draft: { ...draft, resource },
    token,
    activateIn: (id, work) =>
      commit(work, async (_, tx) => ({ subscription: await subscriptionOf({ db: tx, clock }, accountId, id) })),
  });
}
