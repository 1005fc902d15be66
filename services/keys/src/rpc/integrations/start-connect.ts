import { lockKey } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { challengeOf, createState, hashOfState, verifierOf } from '../../integrations/connect-state.ts';
import { configuredProvider, providerWord } from '../../integrations/providers/index.ts';
import { checkRedirectUri } from '../../integrations/redirect-uri.ts';
import { insertConnectState } from '../../store/connect-states.ts';
import type { Handlers } from './handlers.ts';

/** Begins to connect a mail account. */
export function startConnect({ db, mailProviders, tokenVault }: Context): Handlers['startConnect'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const provider = configuredProvider(mailProviders, providerWord(request.provider));
    const redirectUri = checkRedirectUri(request.redirectUri);
    const state = createState();
    const stored = { accountId, stateHash: hashOfState(state), provider: provider.word, redirectUri };
    await db.transaction(async (tx) => {
      // The older ones that are forgotten are those that calls at the same time have stored, too.
      await lockKey(tx, 'connect-states', accountId);
      await insertConnectState(tx, stored);
    });
    const challenge = challengeOf(verifierOf(tokenVault.verifierKey, state));
    return { url: provider.consentUrl({ redirectUri, state, challenge }), state };
  };
}
