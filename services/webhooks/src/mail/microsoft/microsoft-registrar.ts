import type { Database } from '@agentmesh/lib/pg';
import type { Clock } from '../../clock.ts';
import { watchBusy } from '../../errors.ts';
import type { GraphSubscriptions } from './graph-subscriptions.ts';
import { ProviderError, type ProviderErrorKind } from '../provider/provider-error.ts';
import { setWatchSecrets, type WatchRow } from '../../store/watches/watches.ts';
import { mailAccountOf } from '../provider/mail-account-of.ts';
import { createNotificationSecrets, hashSecret } from './notification-secrets.ts';
import type { Registrar, Registration } from '../provider/registrar.ts';

export interface MicrosoftRegistrarParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly graph: GraphSubscriptions;
  /** Public address of this API without a trailing slash. */
  readonly publicBaseUrl: string;
}

const notificationPath = '/api/webhooks/outlook/notifications/';

/** Registers watches as subscriptions of Microsoft Graph. */
export function createMicrosoftRegistrar({ db, clock, graph, publicBaseUrl }: MicrosoftRegistrarParts): Registrar {
  return {
    register: async (watch, { resource, changeType, accessToken }) => {
      await removeUnknown(graph, watch);
      const { pathToken, clientState } = createNotificationSecrets();
      // Microsoft calls the address before it answers, so the hashes must be readable before.
      const hashes = { pathTokenHash: hashSecret(pathToken), clientStateHash: hashSecret(clientState) };
      const { account_id: accountId, id, claim } = watch;
      if (!(await setWatchSecrets(db, { accountId, id, claim, ...hashes }))) throw watchBusy();
      const notificationUrl = `${publicBaseUrl}${notificationPath}${pathToken}`;
      const subscription = { resource, changeType, notificationUrl, clientState };
      return registered(await graph.create(mailAccountOf(watch), subscription, { now: clock.now(), accessToken }));
    },
    renew: async (watch) =>
      registered(await graph.renew(mailAccountOf(watch), watch.provider_id ?? '', { now: clock.now() })),
    end: async (watch) => {
      for (const id of await idsOf(graph, watch)) await graph.remove(mailAccountOf(watch), id);
    },
  };
}

function registered({ id, expiresAt }: { id: string; expiresAt: Date }): Registration {
  return { providerId: id, expiresAt, labels: [], cursor: null };
}

/**
 * Removes what an earlier attempt has registered while its answer was lost: with new secrets, nobody would know it. It costs a call only
 * when there was an attempt before.
 */
async function removeUnknown(graph: GraphSubscriptions, watch: WatchRow): Promise<void> {
  const unknown = await idsOf(graph, { ...watch, provider_id: null }).catch((error: unknown) => {
    // Without a list, a lost registration expires by itself; a mailbox without a registration would lose mail.
    if (error instanceof ProviderError && (lastingKinds.includes(error.kind) || error.status === 501)) return [];
    throw error;
  });
  for (const id of unknown) await graph.remove(mailAccountOf(watch), id);
}

/** Reasons why subscriptions cannot be listed that do not pass. */
const lastingKinds: readonly ProviderErrorKind[] = ['forbidden', 'not_found', 'rejected'];

/** Ids of a watch at Microsoft. Without a stored id they are found by the notification address: a process may have died before it stored it. */
async function idsOf(graph: GraphSubscriptions, watch: WatchRow): Promise<readonly string[]> {
  const { provider_id: id, path_token_hash: hash } = watch;
  if (id !== null) return [id];
  if (hash === null) return [];
  const isOwn = (url: string): boolean => hashSecret(url.split('/').at(-1) ?? '').equals(hash);
  const all = await graph.list(mailAccountOf(watch));
  return all.filter(({ notificationUrl }) => isOwn(notificationUrl)).map((subscription) => subscription.id);
}
