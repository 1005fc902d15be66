import type { Bus } from '@agentmesh/lib/bus';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { MeshError } from '@agentmesh/lib/rpc';
import { testNode, unserved } from '@agentmesh/lib/rpc/testing';
import { parseSettings } from '@agentmesh/lib/service';
import { createLogger, createMetrics } from '@agentmesh/lib/telemetry';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService, GetAccountRequestSchema } from '@agentmesh/proto/auth/v1';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { TranscriptionService } from '@agentmesh/proto/transcription/v1';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';
import { create } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { SignJWT } from 'jose';
import { settings } from '../src/config.ts';
import { gateway } from '../src/index.ts';

export const encryptKey = 'a key that is long enough for HS256 tokens';
export const accountId = '0b5f0b0a-6d0e-4a53-9a6e-3d5b9f6f9c11';

type Auth = ServiceImpl<typeof AuthService>;

export interface EdgeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly auth?: Partial<Auth>;
  readonly sessions?: Partial<ServiceImpl<typeof SessionsService>>;
  readonly runs?: Partial<ServiceImpl<typeof RunsService>>;
  readonly memory?: Partial<ServiceImpl<typeof MemoryService>>;
  readonly artifacts?: Partial<ServiceImpl<typeof ArtifactsService>>;
  readonly transcription?: Partial<ServiceImpl<typeof TranscriptionService>>;
  readonly keys?: Partial<ServiceImpl<typeof KeysService>>;
  readonly savedKeys?: Partial<ServiceImpl<typeof SavedKeysService>>;
  readonly notifications?: Partial<ServiceImpl<typeof NotificationsService>>;
  readonly notices?: Partial<ServiceImpl<typeof NoticesService>>;
}

export interface Edge extends AsyncDisposable {
  readonly url: string;
  /** Parsed lines of the log. */
  readonly logged: Record<string, unknown>[];
  readonly bus: Bus;
  readonly draining: AbortController;
  drain(leftMs?: number): Promise<void>;
  /** Sends a request with a valid token; a header of `null` is left out. */
  send(path: string, options?: SendOptions): Promise<Answer>;
}

export interface SendOptions {
  readonly method?: string;
  readonly json?: unknown;
  readonly text?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly redirect?: 'follow' | 'manual';
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** Starts a real gateway on a real socket. The given functions are its services; all other calls fail. */
export async function startEdge(options: EdgeOptions = {}): Promise<Edge> {
  const { env, auth, sessions, runs, memory, artifacts, transcription, keys, savedKeys, notifications, notices } =
    options;
  const logged: Record<string, unknown>[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
  const log = createLogger({ level: 'debug', name: 'gateway', destination: { write } });
  const metrics = createMetrics({ processMetrics: false });
  const mesh = testNode({ urls: {}, log, metrics });
  mesh.serve(AuthService, { ...unserved(AuthService), ...accountsOf(auth?.getAccount), ...auth });
  const emptySessions = { ...unserved(SessionsService), getSession: nothing, listSessions: nothing };
  mesh.serve(SessionsService, { ...emptySessions, ...sessions });
  mesh.serve(RunsService, { ...unserved(RunsService), run: nothing, listApps: () => ({ apps: [] }), ...runs });
  mesh.serve(AgentsService, unserved(AgentsService));
  mesh.serve(NoticesService, { ...unserved(NoticesService), ...notices });
  mesh.serve(SubscriptionsService, { ...unserved(SubscriptionsService), listSubscriptions: () => ({}) });
  mesh.serve(NotificationsService, { ...unserved(NotificationsService), ...notifications });
  mesh.serve(MemoryService, { ...unserved(MemoryService), listEntries: () => ({ entries: [] }), ...memory });
  mesh.serve(ArtifactsService, { ...unserved(ArtifactsService), ...artifacts });
  mesh.serve(TranscriptionService, { ...unserved(TranscriptionService), transcribe: refuse, ...transcription });
  mesh.serve(SavedKeysService, { ...unserved(SavedKeysService), listKeys: () => ({ keys: [] }), ...savedKeys });
  mesh.serve(KeysService, { ...unserved(KeysService), ...keys });
  const bus = createLocalBus();
  const draining = new AbortController();
  const resources = new AsyncDisposableStack();
  const running = await gateway.start({
    config: parseSettings(settings, { ENCRYPT_KEY: encryptKey, PORT: '0', ...env }),
    log,
    metrics,
    mesh: mesh.as('gateway'),
    bus,
    dataDir: '/nonexistent',
    resources,
    draining: draining.signal,
    openDatabase: () => Promise.reject(new Error('the gateway has no database')),
  });
  const url = running.address ?? '';
  const authorization = `Bearer ${await token({})}`;
  return {
    url,
    logged,
    bus,
    draining,
    drain: (leftMs = 10_000) => running.drain?.(leftMs) ?? Promise.resolve(),
    send: (path, options = {}) => send(new URL(url + path), authorization, options),
    [Symbol.asyncDispose]: async () => {
      await resources.disposeAsync();
      await mesh[Symbol.asyncDispose]();
    },
  };
}

async function send(url: URL, authorization: string, options: SendOptions): Promise<Answer> {
  const { method, json, text, redirect = 'follow', headers = {} } = options;
  const body = json === undefined ? text : JSON.stringify(json);
  const all = { authorization, ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const present = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: present,
    redirect,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, body: parse(answer) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A signed access token. The given claims override those of a valid one. */
export function token(claims: Record<string, unknown>, key = encryptKey, kid?: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const valid = { sub: 'a@example.com', uid: accountId, role: 'USER', type: 'access', iat: now, exp: now + 600 };
  return new SignJWT({ ...valid, ...claims })
    .setProtectedHeader({ alg: 'HS256', ...(kid !== undefined && { kid }) })
    .sign(new TextEncoder().encode(key));
}

const refuse: ServiceImpl<typeof TranscriptionService>['transcribe'] = () => {
  throw new MeshError('invalid_argument', 'request_invalid', 'The recording broke off.');
};

/** Yields nothing. */
async function* nothing(): AsyncGenerator<never> {
  // An empty stream.
}

const knownAccount: Auth['getAccount'] = ({ id }) => {
  if (id !== accountId) throw new MeshError('not_found', 'account_not_found', 'User not found');
  return { account: { id, email: 'a@example.com', role: 'USER' } };
};

/** Auth with the accounts that `getAccount` returns. All their sign-ins are valid, and nothing changes. */
function accountsOf(getAccount: Auth['getAccount'] = knownAccount): Partial<Auth> {
  return {
    getAccount,
    getStanding: async ({ accountId: id }, context) => {
      const { account } = await getAccount(create(GetAccountRequestSchema, { id }), context);
      return { email: account?.email ?? '', role: account?.role ?? 'USER', signInStands: true };
    },
    listChangedAccounts: () => ({ cursor: 1n }),
  };
}
