import { randomUUID } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, type SessionJson, sessionPath } from '../../caller.ts';

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

function exampleOf(path: string): object {
  return paths[path]?.['post']?.requestBody?.content['application/json']?.example ?? {};
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
      const text = ids.reduce((all, id) => all.replaceAll(id, '<id>'), await response.text());
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
