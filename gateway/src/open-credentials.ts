import { type Host, startJob } from '@agentmesh/lib/service';
import { createKeyRing, importHmacKey, type SigningKey, signingKeysOf } from '@agentmesh/lib/signing';
import type { Clients } from './clients.ts';
import { publicBaseUrl, type settings } from './config.ts';
import type { Context } from './context.ts';
import { createTokenReader } from './edge/authentication/access-token.ts';
import { createAccountChanges } from './edge/authentication/account-changes.ts';
import { createAuthentication } from './edge/authentication/authenticate.ts';
import { createBearer } from './edge/authentication/bearer.ts';
import { type BrowserSession, createBrowserSession } from './edge/authentication/browser/browser-session.ts';
import type { Directory } from './edge/authentication/directory.ts';
import { createFollowChanges, createOpenStreams, hearChanges } from './edge/authentication/follow-changes.ts';
import { createPersonalTokens } from './edge/authentication/personal-tokens.ts';
import { createPushCallers } from './edge/authentication/push-callers.ts';
import { createStandings, type Standing } from './edge/authentication/standings.ts';
import { createRunTickets } from './edge/authentication/run-tickets.ts';
import { createAccountLimit } from './edge/throttle/account-limit.ts';

type GatewayHost = Host<typeof settings>;
type Credentials = Pick<Context, 'authentication' | 'browser' | 'runTickets' | 'forgetAccount'>;

/** Opens the checks of credentials of requests, which hear from auth which accounts have changed. */
export async function openCredentials(
  host: GatewayHost,
  { auth, notifications }: Pick<Clients, 'auth' | 'notifications'>,
): Promise<Credentials> {
  const { config, resources } = host;
  const changes = createAccountChanges();
  const standings = createStandings(auth, changes);
  const personalTokens = createPersonalTokens(auth, changes);
  resources.defer(await hearChanges(host.bus, changes));

  const keys = signingKeysOf(config);
  const tokens = createTokenReader(await createKeyRing(keys, importHmacKey));
  const bearer = createBearer({ tokens, standings, personalTokens });
  const streams = createOpenStreams(changes, bearer);
  const isIdle = (): boolean => standings.isEmpty && personalTokens.isEmpty && streams.isEmpty;
  resources.use(startJob(createFollowChanges({ changes, isIdle, auth, streams }), host));
  const browser = await browserSessionOf(host, keys, standings);
  const runTickets = await createRunTickets({ keys, standings, personalTokens });
  const accounts = config.ADK_TRIGGER_ACCOUNTS;
  const pushCallers = createPushCallers({ notifications, standings, accounts, publicBaseUrl: publicBaseUrl(config) });
  const sources = { bearer, browser, streams, runTickets, pushCallers, limit: createAccountLimit(config) };
  return {
    authentication: createAuthentication({ ...sources, isRuntimeOpen: config.RUNTIME_AUTH === 'open' }),
    browser,
    runTickets,
    forgetAccount: (accountId) => changes.note(accountId),
  };
}

async function browserSessionOf(
  { config }: GatewayHost,
  keys: readonly SigningKey[],
  standings: Directory<Standing>,
): Promise<BrowserSession | undefined> {
  if (!config.ADK_WEB_UI && !config.CONSOLE) return undefined;
  return createBrowserSession({ keys, publicBaseUrl: publicBaseUrl(config), standings });
}
