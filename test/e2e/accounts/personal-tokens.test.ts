import { describe, expect, inject, test } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';
import { msAccepted } from '../../ms-accepted.ts';

const url = inject('meshUrl');

interface Made {
  readonly id: string;
  readonly token: string;
}

async function make(account: Caller, body: object): Promise<Made & { readonly program: Caller }> {
  const answer = await account.request<Made & { [key: string]: never }>('POST', '/api/auth/tokens', {
    name: 'a test',
    ...body,
  });
  if (answer.status !== 201) throw new Error(`no token made: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { ...answer.body, program: new Caller(url, answer.body.token) };
}

describe('a personal token', () => {
  test('has the documented prefix, and is shown once', async () => {
    const account = await newAccount(url);
    const { id, token } = await make(account, { scopes: ['sessions:read'] });
    expect(token).toMatch(/^agentmesh_pat_[0-9A-Za-z]{49}$/);
    const { body } = await account.request('GET', '/api/auth/tokens');
    expect(body).toMatchObject([{ id, name: 'a test', scopes: ['sessions:read'], user_id: null }]);
    expect(JSON.stringify(body)).not.toContain(token.slice(14, 57));
  });

  test('runs an agent for its account, and works only within its scopes', async () => {
    const account = await newAccount(url);
    const { program } = await make(account, { scopes: ['sessions:write', 'runs:write'] });
    const session = await program.createSession();
    expect((await program.run(session, 'hi')).status).toBe(200);
    expect((await program.request('GET', sessionPath(session))).status).toBe(403);
    expect((await account.readSession(session)).events).not.toHaveLength(0);
    expect((await program.request('GET', '/api/auth/tokens')).status).toBe(403);
  });

  test('that is bound to an end user has no access to other users', async () => {
    const account = await newAccount(url);
    const scopes = ['sessions:read', 'sessions:write', 'runs:write'];
    const { program } = await make(account, { scopes, user_id: 'u1' });
    const own = await program.createSession();
    const others = await account.request('POST', '/apps/echo/users/u2/sessions', { sessionId: 'theirs' });
    expect(others.status).toBe(200);
    expect((await program.run(own, 'hi')).status).toBe(200);
    const refused = { status: 403, body: { detail: 'This token is bound to another user_id.' } };
    for (const id of ['theirs', 'never-made']) {
      expect(await program.request('GET', `/apps/echo/users/u2/sessions/${id}`)).toMatchObject(refused);
    }
    expect(await program.run({ ...own, userId: 'u2', id: 'theirs' }, 'hi')).toMatchObject(refused);
  });

  test('of an end user is listed and revoked together with the other tokens of that user', async () => {
    const account = await newAccount(url);
    const [first, second] = [
      await make(account, { scopes: ['apps:read'], user_id: 'u1' }),
      await make(account, { scopes: ['apps:read'], user_id: 'u2', expires_in_seconds: 60 }),
    ];
    const ids = async (query: string) => {
      const { body } = await account.request<Made[]>('GET', `/api/auth/tokens${query}`);
      return body.map(({ id }) => id);
    };
    expect(await ids('')).toEqual([second.id, first.id]);
    const cursor = (await account.fetch('GET', '/api/auth/tokens?limit=1')).headers.get('x-next-cursor') ?? '';
    expect(await ids(`?limit=1&cursor=${cursor}`)).toEqual([first.id]);
    const former = await account.request('GET', `/api/auth/tokens?after=${second.id}`);
    expect(former.body).toMatchObject({ tokens: [{ id: first.id }], has_more: false });
    expect(await ids('?user_id=u1')).toEqual([first.id]);
    const revoked = await account.request('DELETE', '/api/auth/tokens?user_id=u1');
    expect(revoked).toMatchObject({ status: 200, body: { status: 'ok', revoked: 1 } });
    expect(await account.request('DELETE', '/api/auth/tokens?userId=u1')).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'extra_forbidden', loc: ['query', 'userId'] }] },
    });
    expect(await ids('')).toEqual([second.id]);
    expect((await account.request('DELETE', '/api/auth/tokens')).body).toEqual({ status: 'ok', revoked: 1 });
    await expect.poll(() => second.program.request('GET', '/list-apps')).toMatchObject({ status: 401 });
  });

  test('is refused within a second after its account revoked it; no other account can revoke it', async () => {
    const [account, stranger] = [await newAccount(url), await newAccount(url)];
    const { id, program } = await make(account, { scopes: ['apps:read'] });
    const listApps = () => program.request('GET', '/list-apps');
    expect((await listApps()).status).toBe(200);
    expect((await stranger.request('DELETE', `/api/auth/tokens/${id}`)).status).toBe(404);
    expect((await listApps()).status).toBe(200);
    expect((await account.request('DELETE', `/api/auth/tokens/${id}`)).body).toEqual({ status: 'ok' });
    const refusal = { status: 401, body: { detail: 'Could not validate credentials' } };
    expect(await msAccepted(listApps, refusal)).toBeLessThan(1_000);
  });

  test('revokes itself, and no other token', async () => {
    const account = await newAccount(url);
    const scopes = ['runs:read'];
    const [own, other] = [await make(account, { scopes, user_id: 'u1' }), await make(account, { scopes })];
    const ask = () => own.program.request('GET', '/runs?user=u1');
    expect((await ask()).status).toBe(200);
    expect(await own.program.request('DELETE', '/api/auth/tokens/current')).toMatchObject({ body: { status: 'ok' } });
    expect(await msAccepted(ask, { status: 401 })).toBeLessThan(1_000);
    expect((await other.program.request('GET', '/runs')).status).toBe(200);
    expect((await account.request('DELETE', '/api/auth/tokens/current')).status).toBe(404);
  });

  test('ends the tickets that it got, within a second after it was revoked', async () => {
    const account = await newAccount(url);
    const scopes = ['runs:read'];
    const [own, other] = [await make(account, { scopes }), await make(account, { scopes })];
    const body = runBody(await account.createSession(), 'hi');
    const run = await account.request<{ invocationId: string }>('POST', '/runs', body);
    const events = `/runs/${run.body.invocationId}/events`;
    const openBy = async ({ program }: typeof own) => {
      const { ticket } = (await program.request<{ ticket: string }>('POST', `${events}/ticket`, {})).body;
      return async () => ({ status: (await fetch(`${url}${events}?ticket=${ticket}`)).status });
    };
    const [open, openOther] = [await openBy(own), await openBy(other)];
    expect(await open()).toEqual({ status: 200 });
    expect((await account.request('DELETE', `/api/auth/tokens/${own.id}`)).status).toBe(200);
    expect(await msAccepted(open, { status: 401 })).toBeLessThan(1_000);
    expect(await openOther()).toEqual({ status: 200 });
  });

  test.each(['/api/changes', '/api/notifications/stream'])(
    'and a sign-in end their open streams of %s, and no others, when they end themselves',
    async (path) => {
      const account = await newAccount(url);
      const scopes = ['runs:read'];
      const [own, other] = [await make(account, { scopes }), await make(account, { scopes })];
      const open = async (by: Caller) => {
        const stream = await by.fetch('GET', path);
        expect(stream.status).toBe(200);
        return { end: stream.text().then(() => 'ended') };
      };
      const [ofOwn, ofOther] = [await open(own.program), await open(other.program)];
      await account.request('DELETE', `/api/auth/tokens/${own.id}`);
      expect(await ofOwn.end).toBe('ended');
      expect(await Promise.race([ofOther.end, Promise.resolve('open')])).toBe('open');
      const ofSignIn = await open(account);
      await account.request('DELETE', '/api/auth/sessions');
      expect(await ofSignIn.end).toBe('ended');
      expect(await Promise.race([ofOther.end, Promise.resolve('open')])).toBe('open');
      await other.program.request('DELETE', '/api/auth/tokens/current');
      expect(await ofOther.end).toBe('ended');
    },
  );

  test.each(['/run_sse', '/api/adk/run_sse', '/events', '/events?ticket'])(
    'and a sign-in end their open streams of runs at %s, and no others, when they end themselves',
    async (path) => {
      const account = await newAccount(url);
      const scopes = ['runs:read', 'runs:write'];
      const [own, other] = [await make(account, { scopes }), await make(account, { scopes })];
      const open = async (by: Caller) => {
        const session = await account.createSession();
        const stream = await openRun(by, session, path);
        expect(stream.status).toBe(200);
        return { session, end: stream.text().then(() => 'ended') };
      };
      const [ofOwn, ofOther, ofSignIn] = [await open(own.program), await open(other.program), await open(account)];
      await account.request('DELETE', `/api/auth/tokens/${own.id}`);
      expect(await ofOwn.end).toBe('ended');
      await account.request('DELETE', '/api/auth/sessions');
      expect(await ofSignIn.end).toBe('ended');
      expect(await Promise.race([ofOther.end, Promise.resolve('open')])).toBe('open');
      for (const { session } of [ofOwn, ofSignIn, ofOther])
        expect((await other.program.request('POST', `${sessionPath(session)}:cancel`, {})).status).toBe(200);
      expect(await ofOther.end).toBe('ended');
    },
  );
});

/** A stream of a run that waits for a minute. */
async function openRun(by: Caller, session: SessionJson, path: string): Promise<Response> {
  const text = '[[wait:60000]]';
  const body = runBody(session, text);
  if (path === '/run_sse') return by.fetch('POST', path, body);
  const { appName: agent_name, userId: user_id, id: session_id } = session;
  const ofChat = { agent_name, user_id, session_id, new_message: { role: 'user', parts: [{ text }] } };
  if (path === '/api/adk/run_sse') return by.fetch('POST', path, ofChat);
  const events = `/runs/${(await by.request<{ invocationId: string }>('POST', '/runs', body)).body.invocationId}/events`;
  if (path === '/events') return by.fetch('GET', events);
  const { ticket } = (await by.request<{ ticket: string }>('POST', `${events}/ticket`, {})).body;
  return fetch(`${url}${events}?ticket=${ticket}`);
}
