import { keyedHeaders } from '@agentmesh/lib/idempotency';
import { expect, test } from 'vitest';
import { agentEvent, json, newKey, parse, readSession, startSessionsForFile, textOf } from './sessions.ts';
import { appendTo, completed, driveTurns } from './turns/drive-turns.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase, whileHeld } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

/** Runs a turn with one answer. Returns its invocation id. */
async function turn(session: Key, text: string, window = 20): Promise<string> {
  const begun = await begin(session, text, { window });
  await service.client.appendEvents(appendTo(begun, [agentEvent(begun.invocationId, `re: ${text}`)], completed));
  return begun.invocationId;
}

/** The texts that the next turn gets, with or without its own. */
async function windowOf(session: Key, over: object = {}): Promise<string[]> {
  const begun = await begin(session, 'now', over);
  await service.client.appendEvents(appendTo(begun, [], completed));
  return begun.events.map((event) => textOf(parse(event)));
}

const rewind = (session: Key, beforeInvocationId: string) =>
  service.client.rewindSession({ session, beforeInvocationId });

test('turns get nothing of what was rewound, whatever the executor has in memory, and begin at a turn of the user', async () => {
  const session = await newSession();
  await turn(session, 'one');
  const second = await turn(session, 'two');
  const third = await turn(session, 'three');
  await rewind(session, third);
  expect(await windowOf(session)).toEqual(['one', 're: one', 'two', 're: two', 'now']);
  await rewind(session, second);
  const [begun] = [await begin(session, 'next', { known: { sessionPk: 1n, lastSeq: 4 } })];
  const known = { sessionPk: begun.sessionPk, lastSeq: begun.lastSeq };
  await service.client.appendEvents(appendTo(begun, [agentEvent(begun.invocationId, 're: next')], completed));
  const seen = ['one', 're: one', 'next', 're: next', 'now'];
  expect(await windowOf(session, { known: { ...known, lastSeq: known.lastSeq + 1 } })).toEqual(seen);
  expect(await windowOf(session, { window: 1 })).toEqual(['now', 'now']);
  expect(await windowOf(session, { window: 4 })).toEqual(['next', 're: next', 'now', 'now', 'now']);
  expect((await readSession(service.client, session)).events.map(textOf)).toContain('re: three');
});

test('a copy of a long session while others write to it has the state as of its last event, and all events', async () => {
  const session = newKey();
  const events = Array.from({ length: 11_000 }, (_, index) =>
    agentEvent('e-1', `${index}`, index === 5_000 ? { a: 1 } : {}),
  );
  await service.client.createSession({ session, stateJson: json({ a: 0, b: 0 }), events });
  let isOver = false;
  const writer = (async () => {
    for (let n = 2; !isOver; n++)
      await service.client.patchSession({ session, stateDeltaJson: json({ a: n, [`k${n}`]: n, b: null }) });
  })();
  const { sessionId } = await service.client
    .forkSession({ session, eventId: events[10_500]?.id ?? '' })
    .finally(() => (isOver = true));
  await writer;
  const copy = await readSession(service.client, { ...session, sessionId });
  expect(copy.state).toEqual({ a: 1, b: 0 });
  expect(copy.events.map(textOf)).toEqual(Array.from({ length: 10_501 }, (_, index) => `${index}`));
  const taken = { reason: 'session_exists' };
  const again = service.client.forkSession({ session, invocationId: 'e-1', newSessionId: sessionId });
  await expect(again).rejects.toMatchObject(taken);
});

test('a copy whose caller has left before its commit is not stored', async () => {
  const session = await newSession();
  const invocationId = await turn(session, 'one');
  const copy = { ...session, sessionId: 'copy' };
  const leaving = new AbortController();
  const copying = (): Promise<string> => {
    const asked = { session, invocationId, newSessionId: copy.sessionId };
    return service.client.forkSession(asked, { signal: leaving.signal }).then(
      () => 'stored',
      ({ code }: { readonly code: string }) => code,
    );
  };
  expect(await whileHeld(session, copying, async () => leaving.abort())).toBe('canceled');
  const writers = `select pid from pg_locks where relation = 'sessions'::regclass and mode = 'RowExclusiveLock'
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(() => askDatabase(writers, []), { timeout: 30_000 }).toEqual([]);
  await expect(readSession(service.client, copy)).rejects.toMatchObject({ code: 'not_found' });
});

test('a copy may take long, with an idempotency key as without', async () => {
  const session = await newSession();
  const invocationId = await turn(session, 'one');
  const refuse = `create function need_time() returns trigger language plpgsql as $$ begin
    if current_setting('statement_timeout')::interval < interval '1 minute' then raise exception 'too short'; end if; return new; end $$`;
  await askDatabase(refuse, []);
  await askDatabase('create trigger need_time before insert on events for each row execute function need_time()', []);
  const headers = keyedHeaders({ key: 'k', route: 'POST /fork', content: [] });
  for (const options of [{}, { headers }]) {
    const { sessionId } = await service.client.forkSession({ session, invocationId }, options);
    expect((await readSession(service.client, { ...session, sessionId })).events).toHaveLength(2);
  }
  await askDatabase('drop trigger need_time on events', []);
});

test('a rewind and a copy give back state whose keys are names that JavaScript gives to every object', async () => {
  const session = await newSession();
  const first = await turn(session, 'one');
  const second = await turn(session, 'two');
  const stateDeltaJson = Buffer.from('{"constructor":1,"toString":"t","__proto__":{"a":1}}');
  await service.client.patchSession({ session, stateDeltaJson });
  const { sessionId } = await service.client.forkSession({ session, invocationId: first });
  await rewind(session, second);
  for (const restored of [{ ...session, sessionId }, session]) {
    expect((await readSession(service.client, restored)).state).toEqual({});
  }
});
