import { randomUUID } from 'node:crypto';
import { type Integration, MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import { type FakeGoogle, startFakeGoogle } from '../../../test/fakes/google/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from '../../../test/fakes/microsoft/index.ts';
import { createVirtualClock, openConsentPage, type Upstream } from '../../../test/fakes/upstream/index.ts';
import { openKeys, type TestKeys } from './open-keys.ts';

export const redirectUri = 'https://app.example/integrations/callback';
export const address = 'ada@mail.example';

/** A provider with its fake and its names. */
export interface Side {
  readonly provider: MailProvider;
  readonly word: 'microsoft' | 'google';
  readonly fake: FakeMicrosoft | FakeGoogle;
  /** The server with the token endpoint. */
  readonly accounts: Upstream;
  readonly tokenPath: RegExp;
}

export interface TestIntegrations extends AsyncDisposable {
  readonly microsoft: FakeMicrosoft;
  readonly google: FakeGoogle;
  readonly settings: Readonly<Record<string, string>>;
  readonly keys: TestKeys;
  side(word: 'microsoft' | 'google'): Side;
  /** Starts another replica, which may have other settings. */
  replica(env?: Record<string, string>): Promise<TestKeys>;
  reset(): void;
}

/** Starts the service with the fakes of both providers, which have one user. */
export async function openIntegrations(): Promise<TestIntegrations> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock();
  const microsoft = resources.use(await startFakeMicrosoft(clock));
  const google = resources.use(await startFakeGoogle(clock));
  const settings = { ...microsoft.settings, ...google.settings };
  const keys = resources.use(await openKeys(settings));
  const opened = resources.move();
  const sides = {
    microsoft: { fake: microsoft, accounts: microsoft.login, tokenPath: /\/token$/, provider: MailProvider.MICROSOFT },
    google: { fake: google, accounts: google.accounts, tokenPath: /^\/token$/, provider: MailProvider.GOOGLE },
  };
  return {
    microsoft,
    google,
    settings,
    keys,
    side: (word) => ({ word, ...sides[word] }),
    replica: (env = {}) => openKeys({ ...settings, DATABASE_URL: keys.databaseUrl, ...env }),
    reset: () => {
      for (const fake of [microsoft, google]) {
        fake.reset();
        fake.addUser(address);
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Connects a mail account as a user does, and returns the account with its integration. */
export async function connect(
  keys: TestKeys,
  { provider, word }: Side,
  options: { accountId?: string; user?: string } = {},
) {
  const { accountId = randomUUID(), user = address } = options;
  const { url } = await keys.integrations.startConnect({ accountId, provider, redirectUri });
  const { code = '', state } = await openConsentPage(url, user);
  const providerName = word === 'microsoft' ? 'microsoft_outlook' : 'google_gmail';
  const request = { accountId, provider, providerName, code, state, redirectUri };
  const { integration } = await keys.integrations.finishConnect(request);
  return { accountId, integration: integration as Integration };
}
