import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Usage } from '@agentmesh/lib/usage';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { heldBy, type SessionUsage } from '../src/account-usage.ts';
import { deleteOld } from '../src/retention/delete-old.ts';
import { selectAgingSessions } from '../src/store/retention/old-rows.ts';
import { forgetRunKeys } from '../src/store/ledger/run-keys.ts';
import { beginRound } from '../src/store/replicas/rounds.ts';
import { agentEvent, beginWith, json, newKey, readSession, startSessionsForFile, textOf } from './sessions.ts';
import { appendTo, completed } from './turns/drive-turns.ts';

const day = 86_400;
const service = startSessionsForFile();
let db: Database;

beforeAll(async () => {
  const migrations = new URL('../migrations/', import.meta.url);
  const options = { service: 'sessions', url: service.databaseUrl, poolSize: 3, migrations };
  db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
});
afterAll(() => db[Symbol.asyncDispose]());

type Key = ReturnType<typeof newKey>;

/** A session with turns of a question and an answer, one for each age in days, and its runs. */
async function sessionWith(key: Key, ages: readonly number[], end: object = completed): Promise<Key> {
  await service.client.createSession({ session: key });
  for (const age of ages) {
    const { turn } = await service.client.beginTurn(
      beginWith(key, `question ${age}`, { idempotencyKey: randomUUID() }),
    );
    if (turn === undefined) throw new Error('the run was queued');
    await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, `answer ${age}`)], end));
    const run = [turn.sessionPk, turn.invocationId, age] as const;
    const past = "now() - $3 * interval '1 day'";
    await db.query(
      {
        text: `update sessions set aging_from = least(aging_from, extract(epoch from now()) - $2 * 86400) where pk = $1`,
      },
      [turn.sessionPk, age],
    );
    const events = `update events set ts = extract(epoch from ${past}) where session_pk = $1 and seq > (
      select coalesce(max(seq), 0) - 2 from events where session_pk = $1) and $2 <> ''`;
    await db.query({ text: events }, run);
    await db.query(
      { text: `update runs set created_at = ${past}, ended_at = ${past} where session_pk = $1 and invocation_id = $2` },
      run,
    );
  }
  return key;
}

const usage = (): SessionUsage => new Usage({ db, heldBy });
const collect = (defaultDays = 0) =>
  deleteOld({ db, usage: usage(), defaultDays, draining: new AbortController().signal });
const setRules = (accountId: string, rules: readonly { appName?: string; days?: number }[]) =>
  service.client.setRetention({ accountId, rules: [...rules] });

async function left(key: Key): Promise<{ texts: string[]; runs: number; keys: number }> {
  const { events } = await readSession(service.client, key);
  const { accountId } = key;
  const { runs } = await service.client.listRuns({
    accountId,
    sessionId: key.sessionId,
    appName: key.appName,
    userId: key.userId,
  });
  const keys = await db.query({ text: 'select from run_keys where account_id = $1' }, [accountId]);
  return { texts: events.map(textOf), runs: runs.length, keys: keys.length };
}

test('events older than the rule of their app are deleted by whole turns, with their runs and the keys of these; the session goes on', async () => {
  const key = await sessionWith(newKey(), [40, 31, 29, 0]);
  const other = await sessionWith(newKey({ accountId: key.accountId, appName: 'kept' }), [400]);
  await setRules(key.accountId, [{ days: 30 }, { appName: 'kept' }]);
  expect(await collect()).toEqual({ runs: 2, events: 4 });
  expect(await left(key)).toEqual({
    texts: ['question 29', 'answer 29', 'question 0', 'answer 0'],
    runs: 2,
    keys: 3,
  });
  expect(await left(other)).toMatchObject({ texts: ['question 400', 'answer 400'], runs: 1 });
  const { turn } = await service.client.beginTurn(beginWith(key, 'next'));
  expect(turn?.events).toHaveLength(5);
  const sizes = await db.query<{ bytes: bigint; real: bigint }>(
    {
      text: `select bytes, (select sum(octet_length(body::text)) from events e where e.session_pk = s.pk)::bigint as real
        from sessions s where pk = $1`,
    },
    [turn?.sessionPk],
  );
  expect(sizes[0]?.bytes).toBe(sizes[0]?.real);
  expect(await collect()).toEqual({ runs: 0, events: 0 });
});

test('a process whose clock is years ahead deletes nothing that is young by the clock of the database', async () => {
  const key = await sessionWith(newKey(), [20]);
  await setRules(key.accountId, [{ days: 30 }]);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_000 * day * 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await collect()).toEqual({ runs: 0, events: 0 });
});

test('without a rule the setting holds, and nothing is deleted where neither says so', async () => {
  const key = await sessionWith(newKey(), [20]);
  expect(await collect()).toEqual({ runs: 0, events: 0 });
  expect(await left(key)).toMatchObject({ runs: 1 });
  await collect(10);
  expect(await left(key)).toEqual({ texts: [], runs: 0, keys: 0 });
  expect(await service.client.getRetention({ accountId: key.accountId })).toMatchObject({ rules: [] });
});

test('a run that waits for an answer, and a run that goes on, are kept with their turns', async () => {
  const { accountId } = newKey();
  const waiting = await sessionWith(newKey({ accountId }), [90], { outcome: AttemptEnd_Outcome.WAITING });
  const running = newKey({ accountId });
  await service.client.createSession({ session: running });
  await service.client.beginTurn(beginWith(running, 'now'));
  await db.query({ text: "update runs set created_at = now() - interval '90 days' where account_id = $1" }, [
    accountId,
  ]);
  await setRules(accountId, [{ days: 30 }]);
  expect(await collect()).toMatchObject({ runs: 0 });
  expect(await left(running)).toMatchObject({ texts: ['now'], runs: 1 });
  expect(await left(waiting)).toMatchObject({ texts: ['question 90', 'answer 90'], runs: 1 });
});

test('sessions that cannot have old events are not read', async () => {
  const { accountId } = newKey();
  const trimmed = await sessionWith(newKey({ accountId }), [40, 0]);
  const empty = newKey({ accountId });
  await service.client.createSession({ session: empty });
  const imported = newKey({ accountId });
  const first = { ...agentEvent('e', 'old'), timestamp: 1, json: json({ timestamp: 1 }) };
  await service.client.createSession({ session: imported, events: [first] });
  await service.client.forkSession({ session: imported, eventId: first.id });
  await setRules(accountId, [{ days: 30 }]);
  const aging = () =>
    selectAgingSessions(db, {
      accountId,
      appName: 'echo',
      after: { pk: 0n, aging_from: -1 },
      before: Date.now() / 1000 - 30 * day,
      limit: 10,
    });
  expect(await aging()).toHaveLength(3);
  expect(await collect()).toEqual({ runs: 1, events: 4 });
  expect(await aging()).toEqual([]);
  expect((await left(trimmed)).texts).toEqual(['question 0', 'answer 0']);
});

const declare = (appName: string, kept?: number | 'forever', over: object = {}) =>
  service.client.declareRetention({
    apps: [
      {
        appName,
        ...(kept !== undefined && {
          kept: kept === 'forever' ? { case: 'forever', value: true } : { case: 'days', value: kept },
        }),
        ...over,
      },
    ],
  });
const later = (hours: number) =>
  db.query(
    {
      text: "update app_retention set changed_at = changed_at - $1 * interval '1 hour', silent_until = silent_until - $1 * interval '1 hour'",
    },
    [hours],
  );
const aDayLater = () => later(25);
const ruleOf = async (accountId: string, app: string) => {
  const { appRules } = await service.client.getRetention({ accountId });
  return appRules.filter(({ appName }) => appName === app).map(({ days }) => days ?? 'forever');
};

test('the rule of an app counts for accounts without a rule for it; another number counts a day later when it is shorter', async () => {
  const { accountId } = newKey();
  await setRules(accountId, [{ days: 20 }, { appName: 'ruled', days: 3 }]);
  for (const app of ['filed', 'ruled']) await declare(app, 10);
  expect(await ruleOf(accountId, 'filed')).toEqual([20]);
  await aDayLater();
  expect(await ruleOf(accountId, 'filed')).toEqual([10]);
  expect(await ruleOf(accountId, 'ruled')).toEqual([]);
  await declare('filed', 40);
  expect(await ruleOf(accountId, 'filed')).toEqual([40]);
  await declare('filed', 5);
  await declare('filed', 5);
  expect(await ruleOf(accountId, 'filed')).toEqual([40]);
  await declare('filed');
  expect(await ruleOf(accountId, 'filed')).toEqual([40]);
  await aDayLater();
  expect(await ruleOf(accountId, 'filed')).toEqual([]);
  await declare('filed', 'forever');
  expect(await ruleOf(accountId, 'filed')).toEqual(['forever']);
});

test('the longest rule counts while replicas say different ones, as long as one of them says it', async () => {
  const { accountId } = newKey();
  for (let hour = 0; hour < 30; hour += 1) {
    for (const days of hour % 2 === 0 ? [7, 30] : [30, 7]) await declare('mixed', days);
    await later(1);
    if (hour > 25) expect(await ruleOf(accountId, 'mixed')).toEqual([30]);
  }
});

test('declarations of an agent that arrive late have no effect, and other accounts do not see them', async () => {
  const { accountId } = newKey();
  await declare('agent7', 50, { accountId, version: 3 });
  await declare('agent7', 1, { accountId, version: 2 });
  await aDayLater();
  expect(await ruleOf(accountId, 'agent7')).toEqual([50]);
  expect(await ruleOf(randomUUID(), 'agent7')).toEqual([]);
  for (const [kept, over] of [
    [0, {}],
    [40_000, {}],
    [1, { accountId: 'x' }],
  ] as const)
    await expect(declare('agent7', kept, over)).rejects.toMatchObject({ reason: 'request_invalid' });
});

test('runs and events go by what the app says', async () => {
  const key = await sessionWith(newKey({ appName: 'declared' }), [40, 0]);
  await declare('declared', 30);
  expect(await collect()).toEqual({ runs: 0, events: 0 });
  await aDayLater();
  await collect();
  expect(await left(key)).toMatchObject({ texts: ['question 0', 'answer 0'], runs: 1 });
  await declare('declared', 'forever');
});

test('long sessions are shortened in batches', async () => {
  const key = await sessionWith(newKey(), [0]);
  await db.query({ text: `update sessions set last_seq = 5002, bytes = 10002, aging_from = 0 where account_id = $1` }, [
    key.accountId,
  ]);
  await db.query({ text: 'update events set seq = seq + 5000 where account_id = $1' }, [key.accountId]);
  await db.query(
    {
      text: `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
        select account_id, pk, n, n, 'i', 'user', $2::float8 + n, n % 700 = 1, '{}' from sessions, generate_series(1, 5000) n where account_id = $1`,
    },
    [key.accountId, Date.now() / 1000 - 60 * day],
  );
  await setRules(key.accountId, [{ days: 30 }]);
  expect(await collect()).toEqual({ runs: 0, events: 5000 });
  expect((await left(key)).texts).toEqual(['question 0', 'answer 0']);
});

test('rules are replaced as a whole, belong to one account, and are checked', async () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  await setRules(mine, [{ days: 5 }, { appName: 'a', days: 7 }]);
  await setRules(mine, [{ appName: 'b' }, { days: 9 }]);
  const { rules } = await service.client.getRetention({ accountId: mine });
  expect(rules.map(({ appName, days }) => [appName, days])).toEqual([
    [undefined, 9],
    ['b', undefined],
  ]);
  expect((await service.client.getRetention({ accountId: other })).rules).toEqual([]);
  for (const wrong of [[{ days: 0 }], [{ days: 40_000 }], [{ appName: 'a' }, { appName: 'a' }], [{ appName: '' }]]) {
    await expect(setRules(mine, wrong)).rejects.toMatchObject({ reason: 'request_invalid' });
  }
});

test('replicas share one round in a time', async () => {
  const begun = await Promise.all(Array.from({ length: 5 }, () => beginRound(db, 'test', 3_600)));
  expect(begun.filter(Boolean)).toHaveLength(1);
  await db.query({ text: "update rounds set began_at = now() - interval '2 hours' where kind = 'test'" });
  expect(await beginRound(db, 'test', 3_600)).toBe(true);
});

test('keys of clients are deleted when they are old, keys of services and the runs stay', async () => {
  const key = newKey();
  await service.client.createSession({ session: key });
  const begin = (idempotencyKey: string, idempotencyKeyHours: number) =>
    service.client.beginTurn(beginWith(key, 'x', { idempotencyKey, idempotencyKeyHours }));
  for (const [name, hours] of [
    ['old', 24],
    ['new', 24],
    ['kept', 0],
  ] as const)
    await begin(name, hours);
  await db.query({ text: `update run_keys set expires_at = now() where idempotency_key = 'old' and account_id = $1` }, [
    key.accountId,
  ]);
  await forgetRunKeys(db);
  const text = 'select idempotency_key as name from run_keys where account_id = $1 order by 1';
  expect(await db.query({ text }, [key.accountId])).toEqual([{ name: 'kept' }, { name: 'new' }]);
  expect((await service.client.listRuns(key)).runs).toHaveLength(3);
});
