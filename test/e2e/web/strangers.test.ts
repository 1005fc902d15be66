import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount, type SessionJson, sessionPath } from '../../caller.ts';

const url = inject('meshUrl');
const secret = 'nobody else may read this';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: object }>> };
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Values of the parameters of paths. */
interface Names {
  readonly session: string;
  readonly run: string;
  readonly agent: string;
  readonly key: string;
  readonly token: string;
  readonly account: string;
}

/** Operations that answer without credentials of an account, or with others. */
const publicOperations = [
  'claimDeviceToken',
  'createToken',
  'createUser',
  'forgotPassword',
  'getAgentSchema',
  'getConfig',
  'getErasure',
  'getHealth',
  'getHealthLive',
  'getHealthReady',
  'getLiveness',
  'getReadiness',
  'listModels',
  'receiveGmailNotification',
  'receiveOtherNotifications',
  'receiveOutlookNotifications',
  'receiveSharedOutlookNotifications',
  'resendVerification',
  'signOut',
  'startDeviceSignIn',
];

let paths: Paths;
let owner: Caller;
let session: SessionJson;
/** Ids of the owner's data; below, ids that do not exist. */
let real: Names;
const unknown: Names = {
  session: randomUUID(),
  run: `e-${randomUUID()}`,
  agent: '2000000000',
  key: 'apikey2000000000',
  token: randomUUID(),
  account: '2000000000',
};

beforeAll(async () => {
  owner = await newAccount(url);
  paths = (await owner.request<{ paths: Paths }>('GET', '/openapi.json')).body.paths;
  session = await owner.createSession('echo', { state: { text: secret } });
  const newMessage = { parts: [{ text: secret }] };
  const run = { appName: 'echo', userId: session.userId, sessionId: session.id, newMessage };
  await owner.request('POST', `${sessionPath(session)}/artifacts`, { filename: 'name', artifact: { text: secret } });
  const made = async (path: string, body: object = exampleOf(path)) =>
    (await owner.request<Record<string, string>>('POST', path, body)).body;
  real = {
    session: session.id,
    run: (await made('/runs', run))['invocationId'] ?? '',
    agent: String((await made('/api/agents'))['agent_id']),
    key: String((await made('/api/saved-api-keys'))['api_key_id']),
    token: (await made('/api/auth/tokens', { name: 'ci', scopes: ['runs:write'] }))['id'] ?? '',
    account: String((await owner.request<{ user_id: number }>('GET', '/api/users/me')).body.user_id),
  };
});

function exampleOf(path: string, method = 'post'): object {
  return paths[path]?.[method]?.requestBody?.content['application/json']?.example ?? {};
}

/** Ids of accounts are short numbers, which may stand inside others. */
function withoutId(text: string, id: string): string {
  return text.replaceAll(new RegExp(`(?<!\\w)${RegExp.escape(id)}(?!\\w)`, 'g'), '<id>');
}

/** The path with its parameters; those that no name stands for are the same for all. */
function fill(path: string, { session: session_id, run: invocation_id, agent: agent_id, ...names }: Names): string {
  const ids: Readonly<Record<string, string>> = {
    users: names.account,
    tokens: names.token,
    'saved-api-keys': names.key,
  };
  const [id = '1'] = Object.entries(ids).flatMap(([room, value]) => (path.includes(`/${room}/`) ? [value] : []));
  const user_id = session.userId;
  const values: Record<string, string> = { app_name: 'echo', user_id, session_id, invocation_id, agent_id, id };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'name'));
}

test.each(['get', 'delete'])(
  '%s of what belongs to another account is answered as what does not exist',
  async (method) => {
    const stranger = await newAccount(url);
    const answer = async (path: string, names: Names) => {
      const response = await stranger.fetch(method.toUpperCase(), fill(path, names));
      const ids: readonly string[] = Object.values(names);
      const text = ids.reduce(withoutId, await response.text());
      return `${response.status} ${text}`;
    };
    expect(Object.values(real)).not.toContain('undefined');
    const different: unknown[] = [];
    const operations = Object.entries(paths).filter(
      ([path, methods]) => path.includes('{') && methods[method] !== undefined,
    );
    for (const [path] of operations) {
      const [theirs, nothing] = [await answer(path, real), await answer(path, unknown)];
      if (theirs !== nothing || theirs.includes(secret)) different.push({ path, theirs, nothing });
    }
    expect(different).toEqual([]);
    expect(operations.length).toBeGreaterThan(method === 'get' ? 15 : 8);
    expect((await owner.readSession(session)).state).toEqual({ text: secret });
  },
);

test('every route is closed without credentials and with forged ones, but those of a list', async () => {
  const forged = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.';
  const [nobody, forger] = [new Caller(url), new Caller(url, forged)];
  const email = `${randomUUID()}@example.com`;
  const open: string[] = [];
  let closed = 0;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      const example = requestBody?.content['application/json']?.example;
      // The address of the example is that of a newcomer, whom another test signs up.
      const body = example !== undefined && 'email' in example ? { ...example, email } : example;
      const statuses: number[] = [];
      for (const caller of [nobody, forger])
        statuses.push((await caller.fetch(method.toUpperCase(), fill(path, unknown), body)).status);
      if (statuses.every((status) => status === 401)) closed += 1;
      else open.push(operationId);
    }
  expect(open.toSorted()).toEqual(publicOperations);
  expect(closed).toBeGreaterThan(100);
});

test.each(['post', 'put', 'patch'])(
  '%s to what belongs to another account is answered as what does not exist, and changes nothing',
  async (method) => {
    const [stranger, other] = [await newAccount(url), await newAccount(url)];
    const before = await everythingOf(owner);
    const answer = async (path: string, names: Names) => {
      // Another account, where the first one has made the same.
      const caller = names === real ? stranger : other;
      const response = await caller.fetch(method.toUpperCase(), fill(path, names), exampleOf(path, method));
      const ids: readonly string[] = Object.values(names);
      const text = ids.reduce(withoutId, await response.text());
      expect([path, text]).not.toEqual([path, expect.stringContaining(secret)]);
      // The names of an app, a user and a session are the stranger's own, so some of these make something.
      return `${response.status} ${response.ok ? '' : text}`;
    };
    const different: unknown[] = [];
    const operations = Object.entries(paths).filter(
      ([path, methods]) => path.includes('{') && methods[method] !== undefined,
    );
    for (const [path] of operations) {
      const [theirs, nothing] = [await answer(path, real), await answer(path, unknown)];
      if (theirs !== nothing) different.push({ path, theirs, nothing });
    }
    expect(different).toEqual([]);
    expect(operations.length).toBeGreaterThan(0);
    expect(await everythingOf(owner)).toEqual(before);
  },
);

test('an account without a role opens no route of administrators', async () => {
  const stranger = await newAccount(url);
  const operations = Object.entries(paths).filter(([path]) => path.startsWith('/api/admin/'));
  for (const [path, methods] of operations)
    for (const [method, { operationId }] of Object.entries(methods)) {
      const { status } = await stranger.fetch(method.toUpperCase(), fill(path, real));
      expect([operationId, status]).toEqual([operationId, 403]);
    }
  expect(operations.length).toBeGreaterThan(2);
});

/** All that the owner can list. */
async function everythingOf(caller: Caller): Promise<unknown[]> {
  const lists = ['/api/agents', '/api/saved-api-keys', '/api/auth/tokens', '/api/schedules', '/runs', '/api/users/me'];
  const shown = [...lists, sessionPath(session), `${sessionPath(session)}/artifacts`];
  return Promise.all(shown.map(async (path) => (await caller.request<unknown>('GET', path)).body));
}
