import { forAccount } from '@agentmesh/lib/outbound';
import type { Config } from '../../config.ts';
import type { Context } from '../../context.ts';
import { keyNeedsReentry, keyProviderMissing } from '../../errors.ts';
import { findKey } from '../../saved-keys/find-key.ts';
import { providerOf, type VendorName } from '../../saved-keys/provider-of.ts';
import { callProvider } from '../../saved-keys/test-call.ts';
import type { Handlers } from './handlers.ts';

/** Tells how the provider takes a key. */
export function testKey(context: Context): Handlers['testKey'] {
  const { config, vault, guardedFetch } = context;
  return async (request, { signal }) => {
    const row = await findKey(context, request);
    const provider = providerOf(row);
    if (provider === undefined) throw keyProviderMissing();
    const secret = await vault.open(row.secret, { accountId: row.account_id, keyId: row.id });
    if (secret === undefined) throw keyNeedsReentry();
    const base = row.model_api_base;
    // The addresses of the settings are the operator's, so they may be private.
    const where = base === '' ? { baseUrl: baseOf(config, provider), fetch } : { baseUrl: base, fetch: guardedFetch };
    return await forAccount(row.account_id, () => callProvider({ provider, secret, signal, ...where }));
  };
}

function baseOf(config: Config, provider: VendorName): string {
  const bases = {
    openai: config.OPENAI_BASE_URL,
    anthropic: config.ANTHROPIC_BASE_URL,
    gemini: config.GEMINI_BASE_URL,
  };
  return bases[provider];
}
