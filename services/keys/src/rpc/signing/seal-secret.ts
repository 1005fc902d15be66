import { randomBytes } from 'node:crypto';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { isUuid } from '@agentmesh/proto/uuid';
import type { Context } from '../../context.ts';
import { secretIdInvalid, signingSecretInvalid } from '../../errors.ts';
import type { Handlers } from './handlers.ts';

const prefix = 'whsec_';
const madeBytes = 32;
const fewestBytes = 16;
const mostBytes = 64;

/** Encrypts a signing secret, or makes one. */
export function sealSecret({ signingVault }: Pick<Context, 'signingVault'>): Handlers['sealSecret'] {
  return async ({ accountId: account, id, secret: given }) => {
    const accountId = checkAccountId(account);
    if (!isUuid(id)) throw secretIdInvalid();
    if (given !== '' && !isSecret(given)) throw signingSecretInvalid();
    const madeSecret = given === '' ? `${prefix}${randomBytes(madeBytes).toString('base64')}` : '';
    const secret = given || madeSecret;
    const envelope = await signingVault.seal(secret, { accountId, id });
    return { envelope, madeSecret, fingerprint: signingVault.fingerprintOf(secret, accountId) };
  };
}

/** Padding is optional. */
function isSecret(text: string): boolean {
  const match = /^whsec_([A-Za-z0-9+/]+)={0,2}$/.exec(text);
  const bytes = Buffer.from(match?.[1] ?? '', 'base64').length;
  return bytes >= fewestBytes && bytes <= mostBytes;
}
