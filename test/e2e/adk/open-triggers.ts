import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { inject } from 'vitest';
import { Caller, newAccount, type SessionJson, textOf } from '../../caller.ts';
import { type FakeGoogle, startFakeGoogle } from '../../fakes/google/index.ts';
import { pushClaims } from '../../fakes/google/push.ts';
import { type FakeOpenAi, startFakeOpenAi } from '../../fakes/openai.ts';
import { createVirtualClock } from '../../fakes/upstream/index.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';

export const base = 'https://mesh.example';
export const pusher = 'trigger@my-project.iam.gserviceaccount.com';

/** Differences of a push from a good one. */
export interface PushOptions {
  readonly app?: string;
  readonly source?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Claims of its token; undefined: the header is left out. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** The whole header `Authorization`. */
  readonly authorization?: string;
}

export interface Triggers extends AsyncDisposable {
  readonly mesh: TestMesh;
  readonly google: FakeGoogle;
  readonly openAi: FakeOpenAi;
  /** The account that triggers act for. */
  readonly caller: Caller;
  push(body: unknown, options?: PushOptions): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Sessions of a user of an app, with their events. */
  sessionsOf(userId: string, app?: string): Promise<SessionJson[]>;
  /** The message that the agent got in the newest session of a user, which is JSON. */
  told(userId: string): Promise<{ data: unknown; attributes: Record<string, unknown> }>;
}

const only = ['artifacts', 'auth', 'keys', 'runs', 'sessions', 'webhooks'];

/** Starts a mesh whose triggers act for an account, with a fake of Google's keys. The id of the account is known after a first start only. */
export async function openTriggers(env: Record<string, string> = {}): Promise<Triggers> {
  await using resources = new AsyncDisposableStack();
  const google = resources.use(await startFakeGoogle(createVirtualClock()));
  const openAi = resources.use(await startFakeOpenAi({ apiKey: 'sk-test' }));
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const account = await firstAccount(databaseUrl);
  const settings = {
    GOOGLE_JWKS_URL: google.settings.GOOGLE_JWKS_URL ?? '',
    AGENTS_DIR: agentsDir,
    PUBLIC_BASE_URL: base,
    OPENAI_BASE_URL: openAi.baseUrl,
    OPENAI_API_KEY: 'sk-test',
    ADK_TRIGGER_SOURCES: 'pubsub,eventarc',
    ADK_TRIGGER_ACCOUNTS: `${pusher}=${account.id}`,
    ...env,
  };
  const mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env: settings }));
  const caller = new Caller(mesh.url, account.token);
  const opened = resources.move();
  const sessionsOf = (userId: string, app = 'echo') => readSessions(caller, userId, app);
  return {
    mesh,
    google,
    openAi,
    caller,
    push: (body, options) => push({ mesh, google }, body, options),
    sessionsOf,
    told: async (userId) => {
      const { events = [] } = (await sessionsOf(userId)).at(-1) ?? {};
      return JSON.parse(textOf(events[0])) as { data: unknown; attributes: Record<string, unknown> };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function firstAccount(databaseUrl: string): Promise<{ readonly id: string; readonly token: string }> {
  await using mesh = await startMesh({ mode: inject('mode'), only: ['auth'], databaseUrl });
  const { token = '' } = await newAccount(mesh.url);
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { uid: string };
  return { id: claims.uid, token };
}

/** Sends what Google sends. A text is sent as it is. */
async function push(
  { mesh, google }: Pick<Triggers, 'mesh' | 'google'>,
  body: unknown,
  { app = 'echo', source = 'pubsub', headers = {}, claims = {}, authorization }: PushOptions = {},
) {
  const path = `/apps/${app}/trigger/${source}`;
  const subscription = { ...google.subscription, audience: base + path, serviceAccount: pusher };
  const bearer = `Bearer ${google.keys.sign({ ...pushClaims(subscription, new Date()), ...claims })}`;
  const response = await fetch(mesh.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: authorization ?? bearer, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function readSessions(caller: Caller, userId: string, app: string): Promise<SessionJson[]> {
  const path = `/apps/${app}/users/${encodeURIComponent(userId)}/sessions`;
  const { body } = await caller.request<SessionJson[]>('GET', path);
  return Promise.all(body.map((session) => caller.readSession(session)));
}
