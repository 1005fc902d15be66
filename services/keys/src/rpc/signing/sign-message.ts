import { checkAccountId } from '@agentmesh/lib/rpc';
import { isUuid } from '@agentmesh/proto/uuid';
import { Webhook } from 'standardwebhooks';
import type { Context } from '../../context.ts';
import { secretIdInvalid, signingSecretLost } from '../../errors.ts';
import type { Handlers } from './handlers.ts';

/** Signs a message with a secret that only its envelope is known of. */
export function signMessage({ signingVault }: Pick<Context, 'signingVault'>): Handlers['signMessage'] {
  return async ({ accountId: account, id, envelope, messageId, timestamp, payload }) => {
    const accountId = checkAccountId(account);
    if (!isUuid(id)) throw secretIdInvalid();
    const secret = await signingVault.open(envelope, { accountId, id });
    if (secret === undefined) throw signingSecretLost();
    const time = new Date(Number(timestamp) * 1000);
    return { signature: new Webhook(padded(secret)).sign(messageId, time, Buffer.from(payload).toString()) };
  };
}

/** The library refuses base64 without its padding. */
function padded(secret: string): string {
  const base64 = secret.replace(/^whsec_/, '').replace(/=+$/, '');
  return `whsec_${base64.padEnd(Math.ceil(base64.length / 4) * 4, '=')}`;
}
