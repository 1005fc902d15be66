import { checkAccountId } from '@agentmesh/lib/rpc';
import type { FinishConnectRequest } from '@agentmesh/proto/keys/v1/integrations';
import type { Context } from '../../context.ts';
import { announceConnected, announceDisconnected } from '../../integrations/announce.ts';
import { hashOfState, verifierOf } from '../../integrations/connect-state.ts';
import {
  connectCodeRefused,
  connectStateForeign,
  connectStateInvalid,
  mailPermissionMissing,
  providerMisconfigured,
  providerUnavailable,
} from '../../integrations/errors.ts';
import { integrationRecord } from '../../integrations/integration-record.ts';
import { configuredProvider, type MailProvider, providerWord } from '../../integrations/providers/index.ts';
import { readProfile } from '../../integrations/read-profile.ts';
import { saveConnection } from '../../integrations/save-connection.ts';
import { requestTokens, type Tokens } from '../../integrations/token-endpoint.ts';
import { takeConnectState } from '../../store/connect-states.ts';
import type { Handlers } from './handlers.ts';

/** Exchanges the code of a consent page for tokens, and stores them. */
export function finishConnect(context: Context): Handlers['finishConnect'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const provider = configuredProvider(context.mailProviders, providerWord(request.provider));
    const redirectUri = await takeState(context, provider, request);
    const tokens = await exchangeCode(context, provider, { ...request, redirectUri });
    const scopes = tokens.scopes ?? provider.scope.split(' ');
    if (!provider.canReadMail(scopes)) throw mailPermissionMissing(provider.word);
    const profile = await readProfile(provider, tokens);
    const providerName = request.providerName.slice(0, 64);
    const connection = { accountId, provider: provider.word, providerName, scopes, profile, tokens };
    const { row, ended } = await saveConnection(context, connection);
    const place = { accountId, provider: provider.word };
    if (ended !== undefined) await announceDisconnected(context, { ...place, integrationId: ended });
    await announceConnected(context, { ...place, integrationId: row.id });
    return { integration: await integrationRecord(context.tokenVault, row) };
  };
}

/** Uses up the state, and returns the redirect URI that it was made for. */
async function takeState({ db }: Context, { word }: MailProvider, request: FinishConnectRequest): Promise<string> {
  const [taken] = await takeConnectState(db, { stateHash: hashOfState(request.state) });
  if (taken === undefined) throw connectStateInvalid();
  if (taken.account_id !== request.accountId || taken.provider !== word) throw connectStateForeign();
  const isSame = request.redirectUri === '' || request.redirectUri === taken.redirect_uri;
  if (!taken.is_valid || !isSame) throw connectStateInvalid();
  return taken.redirect_uri;
}

interface Code {
  readonly code: string;
  readonly state: string;
  readonly redirectUri: string;
}

async function exchangeCode(context: Context, provider: MailProvider, it: Code): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code: it.code,
    redirect_uri: it.redirectUri,
    code_verifier: verifierOf(context.tokenVault.verifierKey, it.state),
  };
  const tokens = await requestTokens({ provider, form, log: context.log });
  if (tokens === 'user' || tokens === 'empty') throw connectCodeRefused(provider.word);
  if (tokens === 'operator') throw providerMisconfigured(provider.word);
  if (tokens === 'time') throw providerUnavailable(provider.word);
  return tokens;
}
