import { randomBytes } from 'node:crypto';
import { AgentMesh, LimitError } from '@agentmesh/client';
import type { JsonObject } from '@agentmesh/proto/event';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson, sessionPath } from '../../caller.ts';
import { startWebhookReceiver } from '../../fakes/webhook-receiver.ts';

const url = inject('meshUrl');
const secret = `whsec_${Buffer.from('a secret of the end-to-end tests').toString('base64')}`;
const keySecret = 'sk-test-of-the-export-0123456789';

interface Line {
  readonly kind: string;
  readonly of?: JsonObject;
  readonly data: JsonObject;
}

async function exportOf({ token = '' }: Caller): Promise<{ readonly text: string; readonly lines: readonly Line[] }> {
  const lines = await Array.fromAsync(new AgentMesh({ url, token }).account.export());
  return { text: lines.join('\n'), lines: lines.map((line) => JSON.parse(line) as Line) };
}

/** Things that an account has made. */
interface Made {
  readonly caller: Caller;
  readonly session: SessionJson;
  readonly bytes: Buffer;
  readonly runs: readonly string[];
  readonly agentId: number;
  readonly token: string;
}

/** Makes something of each kind, with the same names in each account. `mark` stands in all of its texts. */
async function makeAll(mark: string, receiver: string): Promise<Made> {
  const caller = await newAccount(url);
  const made = async <Body = Record<string, string>>(path: string, body: object, method = 'POST') => {
    const answer = await caller.request<Body>(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const text = (number: number) => ({
    author: 'user',
    content: { role: 'user', parts: [{ text: `${mark} ${number}` }] },
  });
  const events = Array.from({ length: 700 }, (_, number) => text(number));
  const state = { note: mark, 'user:note': `${mark} of the user` };
  const session = await caller.createSession('remember', { sessionId: 'the session', state, events });
  const bytes = randomBytes(300_000);
  for (const [name, version] of [
    ['notes/a b.bin', bytes],
    ['notes/a b.bin', Buffer.from(`${mark} 2`)],
    ['user:plan.txt', Buffer.from(`${mark} plan`)],
  ] as const)
    await fetch(`${url}${sessionPath(session)}/artifacts/${encodeURIComponent(name)}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(version),
    });
  const { agent_id: agent } = await made('/api/agents', agentOf(mark, 'first'));
  const agentId = Number(agent?.replace('agent', ''));
  await made(`/api/agents/${agentId}`, agentOf(mark, 'second'), 'PUT');
  const message = { role: 'user', parts: [{ text: `${mark} report` }] };
  const schedule = { cron: '0 9 * * 1-5', app_name: 'echo', user_id: 'u1', new_message: message, enabled: false };
  await made('/api/schedules', schedule);
  await made('/api/saved-api-keys', { provider: 'openai', key_name: mark, api_key_value: keySecret });
  await made('/api/usage/limits/account/day', { requests: 1_000 }, 'PUT');
  await made('/api/retention', { rules: [{ app_name: 'echo', days: 30 }] }, 'PUT');
  const { token = '' } = await made('/api/auth/tokens', { name: mark, scopes: ['runs:read', 'account:read'] });
  const first = await caller.run(session, `${mark} hello`);
  const webhook = { url: `${receiver}/${mark}`, secret };
  const { invocationId = '' } = await made('/runs', runBody(session, `${mark} in the background`, { webhook }));
  await made('/apps/remember/users/u1/memory', { sessionId: session.id }, 'PATCH');
  return { caller, session, bytes, runs: [String(first.body[0]?.invocationId), invocationId], agentId, token };
}

/** Throws until the account and its webhook were told of the run in the background. */
async function requireTold({ caller, runs }: Made): Promise<void> {
  const { body: sent } = await caller.request<unknown[]>('GET', `/runs/${runs[1]}/webhook/deliveries`);
  const { body: told } = await caller.request<{ unread_count: number }>('GET', '/api/notifications');
  if (sent.length === 0 || told.unread_count === 0) throw new Error('the end of the run was not told yet');
}

const agentOf = (mark: string, version: string): object => ({
  agent_name: 'the_agent',
  agent_model: 'openai/gpt-5-mini',
  agent_description: `${mark} ${version}`,
  agent_instruction: 'Help.',
  agent_type: 'llm',
});

describe('the export of an account', () => {
  let [own, other]: Made[] = [];
  const resources = new AsyncDisposableStack();

  beforeAll(async () => {
    const receiver = resources.use(await startWebhookReceiver());
    [own, other] = [await makeAll('mine', receiver.url), await makeAll('theirs', receiver.url)];
    for (const made of [own, other]) await vi.waitFor(() => requireTold(made), { timeout: 60_000, interval: 100 });
    return () => resources.disposeAsync();
  }, 180_000);

  test('has everything that the account has made, each as its own route answers it, and nothing of another account', async () => {
    if (own === undefined || other === undefined) throw new Error('nothing was made');
    const { caller, session, bytes } = own;
    const { text, lines } = await exportOf(caller);
    const of = (kind: string) => lines.filter((line) => line.kind === kind);
    const datas = (kind: string) => of(kind).map(({ data }) => data);
    const answers = async (path: string) => (await caller.request<JsonObject[]>('GET', path)).body;

    // Texts of the other account: all have its mark.
    expect(text).not.toContain('theirs');
    expect(text).not.toContain(other.caller.token);
    for (const hidden of [keySecret, secret, own.token, 'correct horse']) expect(text).not.toContain(hidden);

    const stored = await caller.readSession(session);
    expect(datas('event')).toEqual(stored.events);
    expect(stored.events.length).toBeGreaterThan(700);
    expect(of('event')[0]?.of).toEqual({ app_name: 'remember', user_id: 'u1', session_id: 'the session' });
    const { events: _, ...head } = stored;
    expect(datas('session')).toEqual([head]);
    expect(datas('run')).toEqual(await answers('/runs'));
    expect(datas('run').map((run) => run['invocationId'])).toEqual(own.runs.toReversed());
    expect(datas('run_webhook')).toMatchObject([{ invocation_id: own.runs[1], url: expect.stringContaining('/mine') }]);
    expect(datas('webhook_delivery')).toHaveLength(1);
    expect(datas('notification')).toMatchObject([{ invocation_id: own.runs[1] }]);

    expect(datas('agent')).toEqual(await answers('/api/agents'));
    expect(datas('agent_version')).toEqual(await answers(`/api/agents/${own.agentId}/versions`));
    expect(datas('schedule')).toEqual(await answers('/api/schedules'));
    expect(datas('saved_key')).toEqual(await answers('/api/saved-api-keys'));
    expect(datas('limit')).toEqual(await answers('/api/usage/limits'));
    expect(datas('personal_token')).toEqual(await answers('/api/auth/tokens'));
    expect(datas('retention')).toEqual([await answers('/api/retention')]);
    expect(datas('memory').length).toBeGreaterThan(700);
    expect(datas('account')).toMatchObject([{ first_name: 'Ada', role: 'USER' }]);
    expect(datas('sign_in')).toHaveLength(1);
    const actions = datas('action').map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['signed_up', 'signed_in', 'token_created', 'data_exported']));

    expect(datas('artifact').map(({ name }) => name)).toEqual(['user:plan.txt', 'notes/a b.bin']);
    const contentOf = (name: string, version: number): Buffer =>
      Buffer.concat(
        of('artifact_bytes')
          .filter((line) => line.of?.['name'] === name && line.of['version'] === version)
          .map(({ data }) => Buffer.from(data['base64'] as string, 'base64')),
      );
    expect(contentOf('notes/a b.bin', 0).equals(bytes)).toBe(true);
    expect(contentOf('notes/a b.bin', 1).toString()).toBe('mine 2');
    expect(contentOf('user:plan.txt', 0).toString()).toBe('mine plan');

    const [{ data: opening } = { data: {} }] = lines;
    const { kinds } = opening as { readonly kinds: string[] };
    const end = lines.at(-1);
    expect(end).toEqual({ kind: 'end', data: Object.fromEntries(kinds.map((kind) => [kind, of(kind).length])) });
  });

  test('is closed to personal tokens, also to those that may read the account', async () => {
    const program = new Caller(url, own?.token);
    expect((await program.request('GET', '/api/users/me')).status).toBe(200);
    expect((await program.fetch('GET', '/api/users/me/export')).status).toBe(403);
  });

  test('is made a few times in an hour, and says when it can be made again', async () => {
    const caller = await newAccount(url);
    for (let times = 0; times < 5; times += 1) await exportOf(caller);
    const refused = await caller.request('GET', '/api/users/me/export');
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_exports' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect(exportOf(caller)).rejects.toThrow(LimitError);
    expect((await exportOf(await newAccount(url))).lines.at(-1)?.kind).toBe('end');
  });

  test('of an account that has just been made is whole, too', async () => {
    const { lines } = await exportOf(await newAccount(url));
    expect(lines.map(({ kind }) => kind).filter((kind) => kind !== 'action')).toEqual([
      'export',
      'account',
      'sign_in',
      'retention',
      'end',
    ]);
  });
});
