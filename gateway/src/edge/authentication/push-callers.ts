import { MeshError } from '@agentmesh/lib/rpc';
import type { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import type { Client } from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import { type Standing, standingKey } from './standings.ts';

/** Google's Pub/Sub and Eventarc, which push messages with a token of a service account. */
export interface PushCallers {
  /** The account that the push acts for, limited to runs. Rejects with 401 without a token, and with 403 unless Google made it for one of ours. */
  identify(request: Pick<FastifyRequest, 'headers' | 'originalUrl'>): Promise<Identity>;
}

export interface PushCallersOptions {
  readonly notifications: Pick<Client<typeof NotificationsService>, 'identifyPush'>;
  readonly standings: Directory<Standing>;
  /** Service accounts in lower case, each with the id of its account. */
  readonly accounts: readonly (readonly [serviceAccount: string, accountId: string])[];
  readonly publicBaseUrl: string;
}

/** Verifying may read Google's keys. */
const timeoutMs = 10_000;
const scopes = new Set(['runs:write']);

/** The audience of a token is the address that is called, as Pub/Sub sets it, or that of this API, as Eventarc may. */
export function createPushCallers({
  notifications,
  standings,
  accounts,
  publicBaseUrl,
}: PushCallersOptions): PushCallers {
  const accountOf = new Map(accounts);
  return {
    async identify({ headers: { authorization = '' }, originalUrl }) {
      const [path = ''] = originalUrl.split('?');
      const audiences = [publicBaseUrl, `${publicBaseUrl}/`, publicBaseUrl + path];
      const { serviceAccount } = await notifications.identifyPush({ authorization, audiences }, { timeoutMs });
      const accountId = accountOf.get(serviceAccount.toLowerCase());
      if (accountId === undefined) throw pushRefused();
      const { email } = await standings.find(standingKey(accountId));
      const grant = { scopes, userId: undefined };
      return { accountId, email, role: 'USER', signInId: undefined, issuedAt: undefined, isFromCookie: false, grant };
    },
  };
}

function pushRefused(): MeshError {
  const text = 'The service account of the push has no account here (ADK_TRIGGER_ACCOUNTS).';
  return new MeshError('permission_denied', 'push_refused', text);
}
