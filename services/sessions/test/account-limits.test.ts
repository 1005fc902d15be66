import { keyedHeaders } from '@agentmesh/lib/idempotency';
import { heldWrites } from '@agentmesh/lib/pg/testing';
import { expect, test, vi } from 'vitest';
import { agentEvent, beginWith, json, newKey, startSessions, startSessionsForFile } from './sessions.ts';
import { appendTo, completed, driveTurns } from './turns/drive-turns.ts';

const service = startSessionsForFile({ SESSIONS_ACCOUNT_MAX_SESSIONS: '2', SESSIONS_ACCOUNT_MAX_BYTES: '2000' });

const { begin, askDatabase } = driveTurns(service);

const create = (session: ReturnType<typeof newKey>, events: ReturnType<typeof agentEvent>[] = []) =>
  service.client.createSession({ session, events });

test('an account has as many sessions as it may, and a deleted one makes room', async () => {
  const key = newKey();
  const others = ['b', 'c'].map((sessionId) => ({ ...key, sessionId }));
  await create(key);
  await create(others[0] ?? key);
  const full = { code: 'resource_exhausted', reason: 'account_sessions' };
  await expect(create(others[1] ?? key)).rejects.toMatchObject(full);
  await create(newKey());
  await service.client.deleteSession({ session: key });
  await create(others[1] ?? key);
});

test('an account whose events are too large takes no new ones until some are deleted', async () => {
  const key = newKey();
  await create(key, [agentEvent('e-1', 'x'.repeat(2_000))]);
  const full = { code: 'resource_exhausted', reason: 'account_stored_bytes' };
  await expect(create({ ...key, sessionId: 'b' })).rejects.toMatchObject(full);
  await expect(service.client.patchSession({ session: key })).rejects.toMatchObject(full);
  await expect(service.client.beginTurn(beginWith(key, 'one'))).rejects.toMatchObject(full);
  await service.client.deleteSession({ session: key });
  await create(key);
});

test('an append that is repeated counts once, also when others have appended before it', async () => {
  const key = newKey();
  await create(key);
  const turn = await begin(key, 'one');
  await service.client.patchSession({ session: key });
  const append = appendTo(turn, [agentEvent(turn.invocationId, 'x'.repeat(300))]);
  const stored = [];
  for (let n = 0; n < 5; n++) stored.push(await service.client.appendEvents(append));
  expect(new Set(stored.map(({ lastSeq }) => lastSeq))).toEqual(new Set([turn.lastSeq + 2]));
  const other = { ...key, sessionId: 'b' };
  await create(other);
  const next = await begin(other, 'two');
  await service.client.patchSession({ session: other });
  await service.client.appendEvents(appendTo(next, [agentEvent(next.invocationId, 'x'.repeat(2_000))], completed));
  await expect(begin(other, 'three')).rejects.toMatchObject({ reason: 'account_stored_bytes' });
});

/** Headers of a request that belongs to this idempotency key. */
const keyed = (name: string) => ({ headers: keyedHeaders({ key: name, route: 'POST /', content: [] }) });

test('a creation with a key that is rolled back counts neither as a session nor by its bytes', async () => {
  const key = newKey();
  const large = [agentEvent('e-1', 'x'.repeat(1_300_000))];
  for (const name of ['a', 'b', 'c']) {
    const creation = service.client.createSession({ session: { ...key, sessionId: name }, events: large }, keyed(name));
    await expect(creation).rejects.toMatchObject({ reason: 'idempotency_answer_too_large' });
  }
  for (const sessionId of ['a', 'b']) await create({ ...key, sessionId });
  await expect(create({ ...key, sessionId: 'c' })).rejects.toMatchObject({ reason: 'account_sessions' });
});

test('no request with a key counts by its events or its state when its answer cannot be kept', async () => {
  const key = newKey();
  const { accountId } = key;
  await create(key, [agentEvent('e-1', 'one')]);
  const text = "insert into idempotency_bytes values ($1, date_trunc('hour', now()), 268435456)";
  await askDatabase(text, [accountId]);
  const { invocationId } = await begin(key, 'one');
  const stateDeltaJson = json({ a: 'x'.repeat(2_000) });
  const messageJson = json({ role: 'user', parts: [{ text: 'x'.repeat(2_000) }] });
  const full = { reason: 'idempotency_answers_full' };
  const patch = service.client.patchSession({ session: key, stateDeltaJson }, keyed('a'));
  await expect(patch).rejects.toMatchObject(full);
  const message = service.client.addRunMessage({ accountId, invocationId, messageJson }, keyed('b'));
  await expect(message).rejects.toMatchObject(full);
  for (const newSessionId of ['b', 'c']) {
    const fork = service.client.forkSession({ session: key, newSessionId, invocationId: 'e-1' }, keyed(newSessionId));
    await expect(fork).rejects.toMatchObject(full);
  }
  await create({ ...key, sessionId: 'b' });
});

test('an account has as many sessions as it may, also of calls at once that each have a key', async () => {
  const key = newKey();
  const call = (sessionId: string) =>
    service.client.createSession({ session: { ...key, sessionId } }, keyed(sessionId));
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, number) => call(`s${number}`)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  await expect(create(key)).rejects.toMatchObject({ reason: 'account_sessions' });
});

test('a request with a key that was accepted is answered the same when the account is full by then', async () => {
  const key = newKey();
  await create(key);
  const request = beginWith(key, 'x'.repeat(2_000), { idempotencyKey: 'once' });
  const { invocationId } = await service.client.beginTurn(request);
  expect(await service.client.beginTurn(request)).toMatchObject({ invocationId, already: true });
  const another = service.client.beginTurn({ ...request, idempotencyKey: 'twice' });
  await expect(another).rejects.toMatchObject({ reason: 'account_stored_bytes' });
});

test('runs that create their sessions are held to both limits, and a session is created once for a key', async () => {
  const key = newKey();
  const begin = (sessionId: string, text: string, idempotencyKey = '') =>
    service.client.beginTurn(beginWith({ ...key, sessionId }, text, { createsSession: true, idempotencyKey }));
  const same = await Promise.all(['once', 'once', 'once'].map((once) => begin('a', 'one', once)));
  expect(new Set(same.map(({ invocationId }) => invocationId)).size).toBe(1);
  expect(same.filter(({ already }) => already)).toHaveLength(2);
  await begin('b', 'one');
  await expect(begin('c', 'one')).rejects.toMatchObject({ reason: 'account_sessions' });
  await service.client.deleteSession({ session: { ...key, sessionId: 'b' } });
  await begin('b', 'x'.repeat(2_000));
  await service.client.deleteSession({ session: { ...key, sessionId: 'a' } });
  await expect(begin('c', 'one')).rejects.toMatchObject({ reason: 'account_stored_bytes' });
  expect(await begin('a', 'one', 'once')).toMatchObject({ already: true });
});

test('a replica knows within seconds what another has stored', async () => {
  await using replica = await startSessions({ SESSIONS_ACCOUNT_MAX_SESSIONS: '2' }, service);
  const key = newKey();
  for (const sessionId of ['a', 'b']) await create({ ...key, sessionId });
  await replica.client.patchSession({ session: { ...key, sessionId: 'a' } });
  const refused = async () => {
    const another = replica.client.createSession({ session: { ...key, sessionId: 'c' } });
    await expect(another).rejects.toMatchObject({ reason: 'account_sessions' });
  };
  await vi.waitFor(refused, { interval: 500 });
});

test('an account has as many sessions as it may, also of 250 calls at once that create, fork or begin runs in new ones', async () => {
  const session = newKey();
  await create(session, [agentEvent('e-1', 'hello')]);
  const call = (number: number) => {
    const sessionId = `s${number}`;
    if (number % 3 === 0) return create({ ...session, sessionId });
    if (number % 3 === 1) return service.client.forkSession({ session, newSessionId: sessionId, invocationId: 'e-1' });
    return service.client.beginTurn(beginWith({ ...session, sessionId }, 'one', { createsSession: true }));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, (_, number) => call(number)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('of 250 sets of rules at once at five replicas one set stays', async () => {
  await using replicas = new AsyncDisposableStack();
  const clients = [service.client];
  while (clients.length < 5) clients.push(replicas.use(await startSessions({}, service)).client);
  const { accountId } = newKey();
  const rulesOf = (set: number) => ['a', 'b'].map((app) => ({ appName: `${app}${set}`, days: 1 }));
  await Promise.all(
    Array.from({ length: 250 }, (_, set) =>
      (clients[set % 5] ?? service.client).setRetention({ accountId, rules: rulesOf(set) }),
    ),
  );
  expect((await service.client.getRetention({ accountId })).rules).toHaveLength(2);
});

test('of two sets of rules whose transactions meet one stays', async () => {
  const { accountId } = newKey();
  const set = (name: string) =>
    service.client.setRetention({
      accountId,
      rules: ['a', 'b'].map((app) => ({ appName: `${app} ${name}`, days: 1 })),
    });
  await set('before');
  const held = { url: service.databaseUrl, table: 'sessions.retention', atLeast: 2 };
  await heldWrites(held, () => Promise.all(['one', 'two'].map(set)));
  expect((await service.client.getRetention({ accountId })).rules).toHaveLength(2);
});

test('a run in a new session that is not committed counts neither as a session nor by its events', async () => {
  const key = newKey();
  const refuse = `create function refuse_late() returns trigger language plpgsql as $$ begin raise exception 'late'; end $$`;
  await askDatabase(refuse, []);
  const late = `create constraint trigger refuse_late after insert on sessions deferrable initially deferred
    for each row when (new.app_name = 'late') execute function refuse_late()`;
  await askDatabase(late, []);
  for (const sessionId of ['a', 'b']) {
    const session = { ...key, appName: 'late', sessionId };
    const run = service.client.beginTurn(beginWith(session, 'x'.repeat(2_000), { createsSession: true }));
    await expect(run).rejects.toMatchObject({ code: 'internal' });
  }
  await askDatabase('drop trigger refuse_late on sessions', []);
  for (const sessionId of ['a', 'b']) await create({ ...key, sessionId });
});
