import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import { type IntegrationRow, type ProviderWord, selectConnected, selectIntegration } from '../store/integrations.ts';
import { releaseRefreshLease, storeRefreshed, takeRefreshLease } from '../store/refresh-leases.ts';
import { integrationMissing, providerMisconfigured, providerUnavailable, reconnectRequired } from './errors.ts';
import { configuredProvider, type MailProviders } from './providers/index.ts';
import { requestTokens, type TokenRefusal } from './token-endpoint.ts';
import type { TokenVault } from './token-vault.ts';

/** A stored token must be valid for this long, so that it does not expire on its way to the provider. */
const shortestLifeSeconds = 120;
/** Longer than the lease of a replica that has died. */
const patienceMs = 30_000;
const pauseMs = 100;

interface Context {
  readonly db: Database;
  readonly log: Logger;
  readonly mailProviders: MailProviders;
  readonly tokenVault: TokenVault;
}

export interface TokenTarget {
  readonly accountId: string;
  /** The connected integration of a provider, or one integration. */
  readonly which: { readonly provider: ProviderWord } | { readonly integrationId: bigint };
  /** Get a new token even when a valid one is stored. */
  readonly fresh: boolean;
}

export interface AccessToken {
  readonly accessToken: string;
  readonly expiresAt: Date;
  readonly row: IntegrationRow;
}

/**
 * Returns an access token. At most one refresh of an integration runs at a time, over all replicas, under a lease in its row. The
 * others wait, and use the new token unless they asked for a fresh one. Throws the errors of GetAccessToken.
 */
export async function accessTokenOf(context: Context, target: TokenTarget, signal: AbortSignal): Promise<AccessToken> {
  const endsAt = performance.now() + patienceMs;
  for (;;) {
    const row = await find(context, target);
    const stored = target.fresh ? undefined : await storedToken(context, row);
    if (stored !== undefined) return stored;
    const refreshed = await refresh(context, row);
    if (refreshed !== 'busy') return refreshed;
    if (performance.now() > endsAt) throw providerUnavailable(row.provider);
    await sleep(pauseMs, undefined, { signal });
  }
}

async function find({ db }: Context, { accountId, which }: TokenTarget): Promise<IntegrationRow> {
  const rows =
    'provider' in which
      ? await selectConnected(db, { accountId, provider: which.provider })
      : await selectIntegration(db, { accountId, integrationId: which.integrationId });
  const [row] = rows;
  if (row === undefined) throw integrationMissing();
  if (row.needs_reconnect) throw reconnectRequired(row.provider);
  return row;
}

async function storedToken({ tokenVault }: Context, row: IntegrationRow): Promise<AccessToken | undefined> {
  const { access_token: envelope, access_expires_at: expiresAt } = row;
  if (envelope === null || expiresAt === null || row.access_seconds_left < shortestLifeSeconds) return undefined;
  const accessToken = await tokenVault.open(envelope, { ...placeOf(row), column: 'access_token' });
  return accessToken === undefined ? undefined : { accessToken, expiresAt, row };
}

/** `busy`: another refresh is under way, or the tokens have changed in the meantime. */
async function refresh(context: Context, row: IntegrationRow): Promise<AccessToken | 'busy'> {
  const { db, tokenVault, log } = context;
  const provider = configuredProvider(context.mailProviders, row.provider);
  const refreshToken = await tokenVault.open(row.refresh_token, { ...placeOf(row), column: 'refresh_token' });
  // The row stays as it is, because the token can be used again with the right ENCRYPT_KEY.
  if (refreshToken === undefined) throw reconnectRequired(row.provider);
  const lease = { ...placeOf(row), lease: randomUUID() };
  if ((await takeRefreshLease(db, { ...lease, generation: row.generation })).length === 0) return 'busy';
  const scope = provider.refreshScope === undefined ? {} : { scope: provider.refreshScope };
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...scope };
  const tokens = await requestTokens({ provider, form, log });
  if (typeof tokens === 'string') {
    const released = await releaseRefreshLease(db, { ...lease, needsReconnect: tokens === 'user' });
    // The user has connected again in the meantime: the refusal was about the former token.
    if (tokens === 'user' && released.length === 0) return 'busy';
    throw refusalError(tokens, row.provider);
  }
  const sealed = await sealTokens(context, row, tokens);
  const [stored] = await storeRefreshed(db, { ...lease, ...sealed, accessSeconds: tokens.expiresInSeconds });
  if (stored === undefined) return 'busy';
  return { accessToken: tokens.accessToken, expiresAt: stored.access_expires_at, row };
}

/** The tokens in envelopes for the row of an integration. Null for no refresh token: the stored one is kept. */
async function sealTokens(
  { tokenVault }: Context,
  row: IntegrationRow,
  tokens: { accessToken: string; refreshToken: string | undefined },
) {
  const place = placeOf(row);
  const { accessToken, refreshToken } = tokens;
  return {
    accessToken: await tokenVault.seal(accessToken, { ...place, column: 'access_token' }),
    refreshToken:
      refreshToken === undefined ? null : await tokenVault.seal(refreshToken, { ...place, column: 'refresh_token' }),
  };
}

function placeOf({ account_id: accountId, id: integrationId }: IntegrationRow) {
  return { accountId, integrationId };
}

function refusalError(refusal: TokenRefusal, word: ProviderWord): Error {
  if (refusal === 'user') return reconnectRequired(word);
  return refusal === 'operator' ? providerMisconfigured(word) : providerUnavailable(word);
}
