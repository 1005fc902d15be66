import { randomUUID } from 'node:crypto';
import { completeActions, type EventJson, toWireEvent } from '@agentmesh/proto/event';
import { expect, test } from 'vitest';
import { agentEvent, beginWith, newKey, parse, readSession, startSessionsForFile, textOf } from './sessions.ts';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './turns/drive-turns.ts';

const service = startSessionsForFile();

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

/** Runs a turn with one answer. Returns its invocation id. */
async function turn(session: Key, text: string): Promise<string> {
  const begun = await begin(session, text);
  await service.client.appendEvents(appendTo(begun, [agentEvent(begun.invocationId, `re: ${text}`)], completed));
  return begun.invocationId;
}

function summary(text: string, [startTimestamp, endTimestamp] = [1, 2]): EventJson {
  const compaction = { startTimestamp, endTimestamp, compactedContent: { role: 'model', parts: [{ text }] } };
  const actions = completeActions({ compaction });
  return { id: randomUUID(), author: 'user', invocationId: `e-${randomUUID()}`, timestamp: Date.now() / 1000, actions };
}

const textOrSummary = (event: EventJson): string => {
  const { actions = completeActions(undefined) } = event as Partial<EventJson>;
  const { compaction } = actions as { compaction?: { compactedContent: EventJson['content'] } };
  return compaction === undefined
    ? textOf(event)
    : `[${textOf({ ...event, content: compaction.compactedContent ?? {} })}]`;
};

/** The texts that the next turn gets, without its own; summaries in brackets. */
async function windowOf(session: Key, over: object = {}): Promise<string[]> {
  const begun = await begin(session, 'now', { window: 4, ...over });
  await service.client.appendEvents(appendTo(begun, [], completed));
  const texts = begun.events.map((event) => textOrSummary(parse(event)));
  expect(texts.pop()).toBe('now');
  return texts;
}

const claim = (session: Key, over: object = {}) => service.client.claimCompaction({ session, interval: 1, ...over });
const free = (session: Key) =>
  askDatabase('update sessions set compacting_until = null where id = $1', [session.sessionId]);

/** Summarizes all that is due. */
async function compact(session: Key, text: string, over: object = {}) {
  const { sessionPk, viewSeq, events } = await claim(session, over);
  const lastSeq = events.at(-1)?.seq ?? 0;
  const event = toWireEvent(summary(text));
  return service.client.storeCompaction({ session, sessionPk, viewSeq, lastSeq, event });
}

const allOf = async (session: Key) => (await readSession(service.client, session)).events.map(textOrSummary);

test('a turn reads the summary and what follows it, whatever the window; the session keeps all events', async () => {
  const session = await newSession();
  for (let n = 1; n <= 40; n++) await turn(session, `${n}`);
  expect(await compact(session, 'all')).toMatchObject({ stored: true });
  const begun = await begin(session, 'next', { window: 64 });
  expect(begun.events.map((event) => textOrSummary(parse(event)))).toEqual(['[all]', 'next']);
  await service.client.appendEvents(appendTo(begun, [agentEvent(begun.invocationId, 're: next')], completed));
  for (const text of ['a', 'b', 'c']) await turn(session, text);
  const behind = ['next', 're: next', 'a', 're: a', 'b', 're: b', 'c', 're: c'];
  expect(await windowOf(session)).toEqual(['[all]', ...behind]);
  const all = await allOf(session);
  expect(all).toHaveLength(80 + 1 + 8 + 1);
  expect(all.slice(78, 82)).toEqual(['40', 're: 40', '[all]', 'next']);
});

test('the next summary covers the one before, with as many turns before it as the app says', async () => {
  const session = await newSession();
  for (const text of ['1', '2', '3']) await turn(session, text);
  expect(await claim(session, { interval: 4 })).toMatchObject({ sessionPk: 0n });
  await compact(session, 'first', { interval: 3 });
  for (const text of ['4', '5']) await turn(session, text);
  expect(await claim(session, { interval: 3, overlap: 1 })).toMatchObject({ sessionPk: 0n });
  await turn(session, '6');
  const claimed = await claim(session, { interval: 3, overlap: 1 });
  expect(claimed.summaries.map((event) => textOrSummary(parse(event)))).toEqual(['[first]']);
  const texts = claimed.events.map(({ json }) => textOf(parse(json)));
  expect(texts).toEqual(['3', 're: 3', '4', 're: 4', '5', 're: 5', '6', 're: 6']);
  expect(claimed).toMatchObject({ coveredSeq: 6, more: false, hasOpenRun: false });
  await free(session);
  await compact(session, 'second', { interval: 3 });
  expect(await windowOf(session)).toEqual(['[second]']);
});

test('one of several callers summarizes, another one does after two minutes, and a range is summarized once', async () => {
  const session = await newSession();
  await turn(session, '1');
  const claims = await Promise.all(Array.from({ length: 6 }, () => claim(session)));
  const won = claims.filter(({ sessionPk }) => sessionPk !== 0n);
  expect(won).toHaveLength(1);
  await askDatabase(`update sessions set compacting_until = now() - interval '1 s' where id = $1`, [session.sessionId]);
  // The first one was not dead, only slow.
  const again = await claim(session);
  expect(again.sessionPk).not.toBe(0n);
  const stored = await Promise.all(
    [...won, again].map(({ sessionPk, viewSeq, events }) => {
      const event = toWireEvent(summary('once'));
      return service.client.storeCompaction({ session, sessionPk, viewSeq, lastSeq: events.at(-1)?.seq ?? 0, event });
    }),
  );
  expect(stored.filter((answer) => answer.stored)).toHaveLength(1);
  expect((await allOf(session)).filter((text) => text === '[once]')).toHaveLength(1);
});

test('a running turn is not disturbed, and what it writes follows the summary', async () => {
  const session = await newSession();
  await turn(session, '1');
  const running = await begin(session, '2');
  const claimed = await claim(session);
  expect(claimed.events.map(({ json }) => textOf(parse(json)))).toEqual(['1', 're: 1']);
  expect(claimed).toMatchObject({ more: true, hasOpenRun: true });
  const { lastSeq } = await service.client.appendEvents(
    appendTo(running, [agentEvent(running.invocationId, 'so far')]),
  );
  const { sessionPk, viewSeq } = claimed;
  const event = toWireEvent(summary('one'));
  await service.client.storeCompaction({ session, sessionPk, viewSeq, lastSeq: 2, event });
  const late = appendTo({ ...running, lastSeq }, [agentEvent(running.invocationId, 're: 2')], completed);
  expect(await service.client.appendEvents(late)).toMatchObject({ lastSeq: 6, messagesJson: [], stateDeltasJson: [] });
  expect(await windowOf(session, { known: { sessionPk, lastSeq: 4 } })).toEqual(['[one]', '2', 'so far', 're: 2']);
});

test('a rewind makes the summaries void that cover what it rewinds, and one that is being made', async () => {
  const session = await newSession();
  await turn(session, '1');
  await compact(session, 'one');
  const second = await turn(session, '2');
  await turn(session, '3');
  await compact(session, 'all');
  expect(await windowOf(session)).toEqual(['[all]']);
  const claimed = await claim(session);
  await service.client.rewindSession({ session, beforeInvocationId: second });
  const { sessionPk, viewSeq, events } = claimed;
  const late = { session, sessionPk, viewSeq, lastSeq: events.at(-1)?.seq ?? 0, event: toWireEvent(summary('late')) };
  expect(await service.client.storeCompaction(late)).toMatchObject({ stored: false });
  expect(await windowOf(session)).toEqual(['[one]']);
  const first = (await readSession(service.client, session)).events[0]?.invocationId ?? '';
  await service.client.rewindSession({ session, beforeInvocationId: first });
  expect(await windowOf(session)).toEqual([]);
});

test('a message that answers a call which a summary covers gets the events themselves', async () => {
  const session = await newSession();
  const asking = await begin(session, 'ask');
  const asked = [callEvent(asking.invocationId, ['approve'])];
  await service.client.appendEvents(appendTo(asking, asked, waitingFor(['approve'])));
  await turn(session, '2');
  await compact(session, 'all');
  const { turn: answered } = await service.client.beginTurn(
    beginWith(session, 'yes', { answeredCallIds: ['approve'], window: 1 }),
  );
  expect(answered?.events.map((event) => textOrSummary(parse(event)))).toEqual(['ask', '', '2', 're: 2', 'yes']);
});

test('a copy has the summaries up to its last event', async () => {
  const session = await newSession();
  await turn(session, '1');
  const second = await turn(session, '2');
  await compact(session, 'both');
  const third = await turn(session, '3');
  const inside = await service.client.forkSession({ session, invocationId: second });
  expect(await windowOf({ ...session, ...inside })).toEqual(['1', 're: 1', '2', 're: 2']);
  const behind = await service.client.forkSession({ session, invocationId: third });
  expect(await windowOf({ ...session, ...behind })).toEqual(['[both]', '3', 're: 3']);
});

test('retention may delete what a summary covers, and later the summary', async () => {
  const session = await newSession();
  for (const text of ['1', '2']) await turn(session, text);
  await compact(session, 'both');
  await turn(session, '3');
  const drop = (upTo: number) =>
    askDatabase('delete from events e using sessions s where s.pk = e.session_pk and s.id = $1 and seq <= $2', [
      session.sessionId,
      upTo,
    ]);
  await drop(4);
  expect(await windowOf(session)).toEqual(['[both]', '3', 're: 3']);
  await drop(5);
  expect(await windowOf(session)).toEqual(['3', 're: 3', 'now']);
});

test('summaries that a session is created with cover the events of their times, as in ADK', async () => {
  const session = newKey();
  const said = (text: string, timestamp: number, author = 'user'): EventJson => ({
    ...parse<EventJson>(agentEvent('e', text).json),
    author,
    timestamp,
  });
  const at = (event: EventJson, timestamp: number): EventJson => ({ ...event, timestamp });
  const events = [
    said('1', 1),
    said('re: 1', 2, 'agent'),
    at(summary('first', [1, 2]), 3),
    said('2', 4),
    said('re: 2', 5, 'agent'),
    said('3', 6),
    at(summary('second', [4, 5]), 7),
    said('re: 3', 8, 'agent'),
  ];
  await service.client.createSession({ session, events: events.map(toWireEvent) });
  expect(await windowOf(session, { window: 1 })).toEqual(['[first]', '[second]', '3', 're: 3']);
  expect(await allOf(session)).toHaveLength(10 - 1);
  const claimed = await claim(session);
  expect(claimed.summaries).toHaveLength(2);
});
