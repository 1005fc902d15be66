import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { inject } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type FakeGoogle, startFakeGoogle } from '../../fakes/google/index.ts';
import { type FakeMicrosoft, startFakeMicrosoft } from '../../fakes/microsoft/index.ts';
import { createVirtualClock, openConsentPage } from '../../fakes/upstream/index.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { makeAgent } from '../agents/make-agent.ts';

export interface MailMesh extends AsyncDisposable {
  readonly mesh: TestMesh;
  readonly microsoft: FakeMicrosoft;
  readonly google: FakeGoogle;
  readonly databaseUrl: string;
  /** A new account that has connected the mailbox with this address, which is made if needed. */
  connected(word: MailWord, address: string): Promise<Caller>;
}

const only = ['artifacts', 'auth', 'keys', 'runs', 'sessions', 'webhooks'];
/** Those that tests kill. */
const apart = ['runs', 'webhooks'];

export type MailWord = 'microsoft_outlook' | 'google_gmail';

const paths: Readonly<Record<MailWord, string>> = {
  microsoft_outlook: '/api/integrations/microsoft/outlook',
  google_gmail: '/api/integrations/google',
};

/** Starts a whole mesh in the mode of this project, with the fakes of both mail providers. */
export async function openMailMesh(env: Record<string, string> = {}): Promise<MailMesh> {
  await using resources = new AsyncDisposableStack();
  const clock = createVirtualClock();
  const microsoft = resources.use(await startFakeMicrosoft(clock));
  const google = resources.use(await startFakeGoogle(clock));
  const database = resources.use(await testDatabaseUrl());
  const settings = { ...microsoft.settings, ...google.settings, AGENTS_DIR: agentsDir, ...env };
  const mesh = resources.use(
    await startMesh({ mode: inject('mode'), only, apart, databaseUrl: database.url, env: settings }),
  );
  google.subscription.endpoint = `${mesh.url}/api/webhooks/gmail/notifications`;
  const opened = resources.move();
  return {
    mesh,
    microsoft,
    google,
    databaseUrl: database.url,
    async connected(word, address) {
      const { world } = word === 'microsoft_outlook' ? microsoft : google;
      if (!world.mailboxes.has(address)) world.addUser(address);
      const caller = await newAccount(mesh.url);
      const answer = await connectMailbox(caller, word, address);
      if (answer.status !== 200) throw new Error(`not connected: ${JSON.stringify(answer.body)}`);
      return caller;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Connects a mailbox as the front end does, with the consent of its user. */
export async function connectMailbox(caller: Caller, word: MailWord, address: string) {
  const redirectUri = `${caller.url}/back`;
  const query = new URLSearchParams({ redirect_uri: redirectUri, service: word });
  const { body: page } = await caller.request<{ url: string }>('GET', `${paths[word]}/connect?${query.toString()}`);
  const { code, state } = await openConsentPage(page.url, address);
  const body = { code, state, service: word, redirect_uri: redirectUri };
  return caller.request('POST', `${paths[word]}/callback`, body);
}

export interface SubscriptionJson {
  readonly id: number;
  readonly subscription_id: string | null;
  readonly agent_id: number;
  readonly status: string;
  readonly last_error: string | null;
}

let agents = 0;

/** Subscribes a mailbox for a new agent that repeats its message. */
export async function subscribe(caller: Caller, provider: MailWord, over: object = {}): Promise<SubscriptionJson> {
  agents += 1;
  const body = {
    provider,
    agent_id: await makeAgent(caller, { agent_name: `reader_${agents}` }),
    agent_message_template: '{{ subject }}: {{ body }}',
    ...over,
  };
  const answer = await caller.request<SubscriptionJson>('POST', '/api/webhooks/subscriptions', body);
  if (answer.status !== 201) throw new Error(`not subscribed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function subscriptionOf(caller: Caller, id: number): Promise<SubscriptionJson> {
  return (await caller.request<SubscriptionJson>('GET', `/api/webhooks/subscriptions/${id}`)).body;
}
