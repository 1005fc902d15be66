import { randomBytes } from 'node:crypto';
import { AgentMesh, ChangedError, type MethodOf, type Notification } from '@agentmesh/client';
import { beforeAll, describe, expect, expectTypeOf, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

const url = inject('meshUrl');
const place = { app: 'echo', user: 'u1' };
let mesh: AgentMesh;

beforeAll(async () => {
  mesh = new AgentMesh({ url, token: (await newAccount(url)).token ?? '' });
});

describe('artifacts', () => {
  test('are sent and read as streams, byte for byte', async () => {
    const { id } = await mesh.sessions.create(place);
    const session = { ...place, session: id };
    const bytes = randomBytes(3_000_000);
    const opened = () => new Blob([bytes]).stream();
    expect((await mesh.artifacts.upload(session, 'a b/ü.bin', opened, { mimeType: 'image/png' })).version).toBe(0);
    const { body, mimeType, bytes: length } = await mesh.artifacts.download(session, 'a b/ü.bin');
    expect([mimeType, length]).toEqual(['image/png', bytes.length]);
    expect(Buffer.from(await new Response(body).arrayBuffer()).equals(bytes)).toBe(true);
    expect(await mesh.artifacts.list(session)).toEqual(['a b/ü.bin']);
    await mesh.artifacts.delete(session, 'a b/ü.bin');
    expect(await mesh.artifacts.list(session)).toEqual([]);
  });
});

describe('the records of the account', () => {
  test('schedules are made, changed, paused and deleted', async () => {
    const newMessage = { role: 'user', parts: [{ text: 'tick' }] } as const;
    const body = {
      cron: '0 9 * * *',
      app_name: 'echo',
      user_id: 'u1',
      new_message: { ...newMessage, parts: [...newMessage.parts] },
    };
    const { id } = await mesh.schedules.create(body);
    expect((await mesh.schedules.update(id, { timezone: 'Europe/Berlin' })).timezone).toBe('Europe/Berlin');
    expect((await mesh.schedules.pause(id)).enabled).toBe(false);
    expect((await mesh.schedules.resume(id)).enabled).toBe(true);
    expect((await mesh.schedules.list()).map((it) => it.id)).toEqual([id]);
    await mesh.schedules.delete(id);
    expect(await mesh.schedules.list()).toEqual([]);
  });

  test('agents are made from YAML, changed where nobody else has changed them, and restored', async () => {
    const made = await mesh.agents.createFromYaml(
      'name: helper\nmodel: openai/gpt-5-mini\ndescription: helps\ninstruction: Help.\n',
    );
    const text = await mesh.agents.yaml(made.agent_id);
    expect(text).toContain('Help.');
    await mesh.agents.replaceWithYaml(made.agent_id, text.replace('Help.', 'Help well.'));
    expect((await mesh.agents.get(made.agent_id)).agent_instruction).toBe('Help well.');
    const stale = mesh.agents.replaceWithYaml(made.agent_id, text, { ifMatch: '"1"' });
    await expect(stale).rejects.toThrow(ChangedError);
    expect((await mesh.agents.versions(made.agent_id)).length).toBe(2);
    await mesh.agents.restore(made.agent_id, 1);
    expect((await mesh.agents.get(made.agent_id)).agent_instruction).toBe('Help.');
    expect((await mesh.agents.list().all()).map((it) => it.agent_name)).toEqual(['helper']);
    await mesh.agents.delete(made.agent_id);
  });

  test('tokens are made, used and revoked', async () => {
    const { id, token } = await mesh.tokens.create({ name: 'report', scopes: ['runs:read'] });
    expect(await new AgentMesh({ url, token }).runs.list().all()).toEqual([]);
    expect((await mesh.tokens.list().all()).map((it) => it.id)).toContain(id);
    await mesh.tokens.revoke(id);
    expect((await mesh.tokens.list().all()).map((it) => it.id)).not.toContain(id);
    const program = await mesh.tokens.create({ name: 'program', scopes: ['runs:read'] });
    await new AgentMesh({ url, token: program.token }).tokens.revokeCurrent();
    expect((await mesh.tokens.list().all()).map((it) => it.id)).not.toContain(program.id);
  });

  test('keys, usage, webhooks, memory and models are read', async () => {
    expect(await mesh.keys.list()).toEqual([]);
    expect((await mesh.usage.get({ group_by: 'model' })).usage).toEqual([]);
    expect(await mesh.usage.limits()).toEqual(expect.any(Array));
    expect(await mesh.webhooks.list()).toEqual([]);
    expect(await mesh.webhooks.logs().all()).toEqual([]);
    expect(await mesh.memory.list(place).all()).toEqual([]);
    expect(await mesh.memory.search(place, 'tea')).toEqual([]);
    expect((await mesh.agents.models()).providers.length).toBeGreaterThan(0);
  });
});

test('notifications come as they are made, and those of the past are listed', async () => {
  const first = await mesh.runs.start({ ...place, text: 'one' });
  await expect.poll(() => mesh.notifications.unreadCount()).toBeGreaterThan(0);
  const told: Notification[] = [];
  const leaving = new AbortController();
  const listening = (async () => {
    for await (const notification of mesh.notifications.stream({ signal: leaving.signal })) told.push(notification);
  })();
  await expect
    .poll(async () => {
      await mesh.runs.start({ ...place, text: 'two' });
      return told.length;
    })
    .toBeGreaterThan(0);
  leaving.abort();
  await expect(listening).rejects.toThrow();
  expect(told.map((it) => it.invocation_id)).not.toContain(first.invocationId);
  await mesh.notifications.readAll();
  const read = (await mesh.notifications.list().all()).filter((it) => it.read);
  expect(read.map((it) => it.invocation_id)).toContain(first.invocationId);
});

test('changes tell of new runs, after a gap that says that the stream is open', async () => {
  const leaving = new AbortController();
  const changes = mesh.changes.stream({ signal: leaving.signal });
  expect((await changes.next()).value).toEqual({ gap: true });
  const { invocationId } = await mesh.runs.start({ ...place, text: 'three' });
  for await (const change of changes) if (change.gap === undefined && change.id === invocationId) break;
  expect((await mesh.runs.wait(invocationId, { seconds: 30 })).status).toBe('completed');
});

test('routes without a verb are called with the types of the description', async () => {
  const { id } = await mesh.sessions.create(place);
  const params = { app_name: place.app, user_id: place.user, session_id: id };
  const route = '/apps/{app_name}/users/{user_id}/sessions/{session_id}';
  const session = await mesh.call('GET', route, { path: params });
  expect(session.id).toBe(id);
  expect(await mesh.call('GET', '/api/usage/limits', {})).toEqual(expect.any(Array));
  expectTypeOf<MethodOf<'/api/audit'>>().toEqualTypeOf<'GET'>();
});
