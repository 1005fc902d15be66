import { AttemptEnd_Outcome, RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { appendTo, callEvent, completed, driveTurns, waitingFor } from './drive-turns.ts';
import {
  agentEvent,
  beginWith,
  json,
  type newKey,
  parse,
  readSession,
  startSessionsForFile,
  textOf,
} from '../sessions.ts';

const service = startSessionsForFile();
const replica = startSessionsForFile({}, service);

const { newSession, begin, whileHeld } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

function add({ accountId }: Key, invocationId: string, text: string, by = service) {
  const messageJson = json({ role: 'user', parts: [{ text }] });
  return by.client.addRunMessage({ accountId, invocationId, messageJson });
}

/** The append of an executor that goes on for messages. */
function append(turn: Turn, text: string, end?: object) {
  const events = text === '' ? [] : [agentEvent(turn.invocationId, text)];
  return { ...appendTo(turn, events, end), takesMessages: true };
}

const textsOf = (messages: readonly Uint8Array[]) => messages.map((bytes) => textOf(parse(bytes)));

describe('a message to a running run', () => {
  test('is an event of the run, and its executor gets it with its next append, once', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one', { customMetadataJson: json({ trace: 'x' }) });
    await add(session, turn.invocationId, 'also this');
    const request = append(turn, 'said');
    const first = await service.client.appendEvents(request);
    expect(first).toMatchObject({ lastSeq: 3, goesOn: false });
    expect(textsOf(first.messagesJson)).toEqual(['also this']);
    expect(await service.client.appendEvents(request)).toEqual(first);
    const next = await service.client.appendEvents({ ...append(turn, 'more', completed), lastSeq: 3 });
    expect(next).toMatchObject({ messagesJson: [], goesOn: false });
    const { events } = await readSession(service.client, session);
    expect(events.map(textOf)).toEqual(['one', 'also this', 'said', 'more']);
    const customMetadata = { trace: 'x', addedToRun: true };
    expect(events[1]).toMatchObject({ author: 'user', invocationId: turn.invocationId, customMetadata });
  });

  test.each(['said', ''])('keeps the run from ending before an agent has seen it (last event: "%s")', async (text) => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    await add(session, turn.invocationId, 'wait');
    const last = append(turn, text, completed);
    const answer = await service.client.appendEvents(last);
    expect(answer).toMatchObject({ goesOn: true, lastSeq: text === '' ? 2 : 3 });
    expect(await service.client.appendEvents(last)).toEqual(answer);
    const end = { ...append(turn, 'now', completed), lastSeq: answer.lastSeq };
    expect(await service.client.appendEvents(end)).toMatchObject({ goesOn: false });
    await expect(add(session, turn.invocationId, 'late')).rejects.toMatchObject({
      code: 'aborted',
      reason: 'run_over',
    });
  });

  test('does not keep it from failing, nor from ending by an executor that knows no messages', async () => {
    for (const [end, takesMessages] of [
      [{ outcome: AttemptEnd_Outcome.FAILED, errorCode: 'X' }, true],
      [completed, false],
    ] as const) {
      const session = await newSession();
      const turn = await begin(session, 'one');
      await add(session, turn.invocationId, 'wait');
      const answer = await service.client.appendEvents({ ...append(turn, 'over', end), takesMessages });
      expect(answer.goesOn).toBe(false);
      await begin(session, 'two');
    }
  });

  test('keeps its order among many at once, from two replicas, while the executor appends', async () => {
    const session = await newSession();
    const turn = await begin(session, 'one');
    const texts = Array.from({ length: 20 }, (_, n) => `${n}`);
    const adding = texts.map((text, n) => add(session, turn.invocationId, text, n % 2 === 0 ? service : replica));
    const got: string[] = [];
    let lastSeq = turn.lastSeq;
    for (let n = 0; n < 5; n++) {
      const answer = await service.client.appendEvents({ ...append(turn, `said ${n}`), lastSeq });
      ({ lastSeq } = answer);
      got.push(...textsOf(answer.messagesJson));
    }
    await Promise.all(adding);
    const rest = await service.client.appendEvents({ ...append(turn, 'end', completed), lastSeq });
    got.push(...textsOf(rest.messagesJson));
    const { events } = await readSession(service.client, session);
    const stored = events.filter(({ author }) => author === 'user').map(textOf);
    expect(stored.slice(1)).toEqual(got);
    expect(new Set(got)).toEqual(new Set(texts));
  });
});

describe('a message to a run that has not started', () => {
  test('is added to its own message, none is lost, and the run starts with all', async () => {
    const session = await newSession();
    const running = await begin(session, 'one');
    const { invocationId } = await service.client.beginTurn(beginWith(session, 'two'));
    await Promise.all(['a', 'b', 'c'].map((text, n) => add(session, invocationId, text, n === 1 ? replica : service)));
    await service.client.appendEvents(appendTo(running, [], completed));
    await add(session, invocationId, 'granted');
    const { turns } = await service.client.claimRuns({ owner: 'executor-1', window: 9, session, invocationId });
    const { events } = await readSession(service.client, session);
    const parts = events.at(-1)?.content?.parts?.map((part) => part.text);
    expect(parts?.[0]).toBe('two');
    expect(new Set(parts)).toEqual(new Set(['two', 'a', 'b', 'c', 'granted']));
    expect(turns[0]?.messageJson).toEqual(json(events.at(-1)?.content));
  });
});

test('no message is lost that comes while the run starts', async () => {
  for (let round = 0; round < 10; round++) {
    const session = await newSession();
    const running = await begin(session, 'one');
    const { invocationId } = await service.client.beginTurn(beginWith(session, 'two'));
    await service.client.appendEvents(appendTo(running, [], completed));
    let isStarted = false;
    const claim = async () => {
      const { turns } = await replica.client.claimRuns({ owner: 'executor-1', window: 9, session, invocationId });
      isStarted ||= turns.length > 0;
      return isStarted;
    };
    const texts = ['a', 'b', 'c', 'd'];
    await Promise.all([claim(), ...texts.map((text) => add(session, invocationId, text))]);
    await expect.poll(claim, { timeout: 30_000 }).toBe(true);
    const { events } = await readSession(service.client, session);
    const own = events.filter((event) => event.invocationId === invocationId);
    const said = own.flatMap((event) => event.content?.parts?.map(({ text }) => text) ?? []);
    expect(said).toHaveLength(5);
    expect(new Set(said)).toEqual(new Set(['two', ...texts]));
  }
});

test('a caller who is bound to an end user adds messages only to runs that are bound, too', async () => {
  for (const isBound of [true, false]) {
    const session = await newSession();
    const { invocationId } = await begin(session, 'one', { isBound });
    const request = { accountId: session.accountId, invocationId, messageJson: json({ parts: [{ text: 'x' }] }) };
    const answer = service.client.addRunMessage({ ...request, isBound: true });
    if (isBound) await expect(answer).resolves.toMatchObject({ run: { invocationId } });
    else await expect(answer).rejects.toMatchObject({ reason: 'run_unbound' });
  }
});

test('a message to a run of another account is answered like one to a run that does not exist', async () => {
  const { invocationId } = await begin(await newSession(), 'one');
  await expect(add(await newSession(), invocationId, 'x')).rejects.toMatchObject({ reason: 'run_not_found' });
});

describe('a message to a run that waits for answers', () => {
  /** A run that waits for calls of these names, with a message that it keeps. */
  async function waiting(names: readonly string[]) {
    const session = await newSession();
    const turn = await begin(session, 'one', { customMetadataJson: json({ trace: 'x' }) });
    const event = callEvent(turn.invocationId, names);
    await service.client.appendEvents(appendTo(turn, [event], waitingFor(names)));
    const answer = await add(session, turn.invocationId, 'kept');
    expect(answer.run).toMatchObject({ status: RunStatus.WAITING });
    return { session, id: turn.invocationId };
  }
  const answer = (session: Key, name: string, over: object = {}) => {
    const parts = [{ functionResponse: { id: name, name, response: {} } }];
    const request = { messageJson: json({ role: 'user', parts }), answeredCallIds: [name], ...over };
    return service.client.beginTurn(beginWith(session, '', request));
  };
  const eventsOf = ({ events = [] }: Partial<Turn> = {}) =>
    events.map((bytes) => textOf(parse(bytes)) || Object.keys(parse(bytes).content?.parts?.[0] ?? {})[0]);

  test('is kept, and stands behind the answer once', async () => {
    const { session, id } = await waiting(['ask']);
    await add(session, id, 'kept too', replica);
    const { turn } = await answer(session, 'ask');
    expect(eventsOf(turn)).toEqual(['one', 'functionCall', 'functionResponse', 'kept', 'kept too']);
    const added = { author: 'user', invocationId: id, customMetadata: { addedToRun: true } };
    expect(turn?.events.slice(3).map((bytes) => parse(bytes))).toMatchObject([added, added]);
    const again = appendTo(turn as Turn, [callEvent(id, ['more'])], waitingFor(['more']));
    await service.client.appendEvents(again);
    expect(eventsOf((await answer(session, 'more')).turn).slice(5)).toEqual(['functionCall', 'functionResponse']);
  });

  test('is kept until all calls are answered, also while an answer waits for its turn', async () => {
    const { session, id } = await waiting(['a', 'b']);
    const { turn } = await answer(session, 'a');
    expect(eventsOf(turn).slice(2)).toEqual(['functionResponse']);
    await service.client.appendEvents(appendTo(turn as Turn, [], waitingFor(['b'])));
    const other = await begin(session, 'two');
    expect((await answer(session, 'b')).turn).toBeUndefined();
    expect((await add(session, id, 'later')).run).toMatchObject({ status: RunStatus.QUEUED });
    await service.client.appendEvents(appendTo(other, [], completed));
    const named = { owner: 'executor-1', window: 20, session, invocationId: id };
    const [granted] = (await service.client.claimRuns(named)).turns;
    expect(eventsOf(granted).slice(3)).toEqual(['two', 'functionResponse', 'kept', 'later']);
  });

  test('is not lost when it comes while a claim starts the run with its answer', async () => {
    const session = await newSession();
    const asking = await begin(session, 'one');
    const { invocationId: id } = asking;
    await service.client.appendEvents(appendTo(asking, [callEvent(id, ['ask'])], waitingFor(['ask'])));
    const other = await begin(session, 'two');
    await answer(session, 'ask');
    await service.client.appendEvents(appendTo(other, [], completed));
    const claim = () => service.client.claimRuns({ owner: 'executor-1', window: 20, session, invocationId: id });
    const first = await whileHeld(session, claim, async (tx) => {
      // Keeps a message like AddRunMessage, which would wait for the row, too.
      const kept = `with s as (update sessions set version = version + 1 where id = $1 returning pk)
        update runs set added_messages = $3::json from s where session_pk = s.pk and invocation_id = $2`;
      const messages = JSON.stringify([{ role: 'user', parts: [{ text: 'meanwhile' }] }]);
      await tx.query({ text: kept }, [session.sessionId, id, messages]);
    });
    const [turn] = first.turns.length > 0 ? first.turns : (await claim()).turns;
    expect(eventsOf(turn).slice(-2)).toEqual(['functionResponse', 'meanwhile']);
  });

  test('is seen whatever answers and messages come at once, from two replicas', async () => {
    const { session, id } = await waiting(['ask']);
    const texts = Array.from({ length: 10 }, (_, n) => `${n}`);
    const adding = texts.map((text, n) => add(session, id, text, n % 2 === 0 ? service : replica));
    const { turn } = await answer(session, 'ask');
    await Promise.all(adding);
    const { messagesJson } = await service.client.appendEvents(append(turn as Turn, 'said'));
    const seen = [...eventsOf(turn).slice(4), ...textsOf(messagesJson)];
    expect([new Set(seen), seen.length]).toEqual([new Set(texts), texts.length]);
  });
});
