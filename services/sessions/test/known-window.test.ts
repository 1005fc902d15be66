import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@agentmesh/lib/pg';
import type { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome, type KnownWindowSchema, Multitask, type Turn } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { recordStatements, startFailingOver } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import {
  agentEvent,
  beginWith,
  json,
  newKey,
  parse,
  type RunningSessions,
  startSessions,
  startSessionsForFile,
  textOf,
} from './sessions.ts';

const service = startSessionsForFile();

const completed = { outcome: AttemptEnd_Outcome.COMPLETED };

async function newSession() {
  const session = newKey();
  await service.client.createSession({ session });
  return session;
}

async function begin(
  session: ReturnType<typeof newKey>,
  text: string,
  over: object = {},
  { client }: Pick<RunningSessions, 'client'> = service,
): Promise<Turn> {
  const { turn } = await client.beginTurn(beginWith(session, text, over));
  if (turn === undefined) throw new Error('the run was queued');
  return turn;
}

interface TakenTurn {
  readonly turn: Turn;
  /** The knowledge of an executor that has the events up to the turn's message, or up to its answer. */
  readonly untilMessage: MessageInitShape<typeof KnownWindowSchema>;
  readonly untilAnswer: MessageInitShape<typeof KnownWindowSchema>;
}

/** A whole turn: a user message and an answer. */
async function takeTurn(
  session: ReturnType<typeof newKey>,
  text: string,
  over: object = {},
  by: Pick<RunningSessions, 'client'> = service,
): Promise<TakenTurn> {
  const turn = await begin(session, text, over, by);
  const { sessionPk, invocationId, fence, lastSeq, timeline } = turn;
  const answer = agentEvent(invocationId, `re: ${text}`);
  await by.client.appendEvents({
    accountId: session.accountId,
    sessionPk,
    invocationId,
    fence,
    lastSeq,
    events: [answer],
    end: completed,
  });
  const message = parse(turn.events.at(-1) as Uint8Array);
  return {
    turn,
    untilMessage: { sessionPk, lastSeq, eventId: message.id, lastTime: message.timestamp, timeline },
    untilAnswer: { sessionPk, lastSeq: lastSeq + 1, eventId: answer.id, lastTime: answer.timestamp, timeline },
  };
}

function textsOf(turn: Turn): string[] {
  return turn.events.map((bytes) => textOf(parse(bytes)));
}

describe('a turn of an executor that holds recent events', () => {
  test('contains only newer events, and says so', async () => {
    const session = await newSession();
    const { untilMessage } = await takeTurn(session, 'one');
    const turn = await begin(session, 'two', { known: untilMessage });
    expect(textsOf(turn)).toEqual(['re: one', 'two']);
    expect(turn).toMatchObject({ knownSeq: 1, lastSeq: 3, turnStarts: [3] });
  });

  test('looks for no events when it holds all of them, in one statement', async () => {
    const session = await newSession();
    const { untilAnswer } = await takeTurn(session, 'one');
    using sent = recordStatements();
    const turn = await begin(session, 'two', { known: untilAnswer });
    expect(textsOf(turn)).toEqual(['two']);
    expect(turn).toMatchObject({ knownSeq: 2, lastSeq: 3, turnStarts: [3] });
    // The service sends statements of its sweeps meanwhile.
    const ofTurns = /^(take-(free|known)|accept|find-turn|list-(events|newest|turn))/;
    expect([...sent.counts.keys()].filter((name) => ofTurns.test(name))).toEqual(['take-known-turn:event']);
  });

  test('contains events that others have written since', async () => {
    const session = await newSession();
    const { untilAnswer } = await takeTurn(session, 'one');
    await takeTurn(session, 'two');
    await service.client.patchSession({ session, stateDeltaJson: json({ a: 1 }) });
    const turn = await begin(session, 'three', { known: untilAnswer });
    expect(textsOf(turn).filter((text) => text !== '')).toEqual(['two', 're: two', 'three']);
    expect(turn).toMatchObject({ knownSeq: 2, lastSeq: 6, turnStarts: [3, 6] });
  });

  test('contains the whole window when more events were written than a window holds', async () => {
    const session = await newSession();
    const { untilAnswer } = await takeTurn(session, 'one');
    await takeTurn(session, 'two');
    await takeTurn(session, 'three');
    const turn = await begin(session, 'four', { known: untilAnswer, window: 3 });
    expect(textsOf(turn)).toEqual(['three', 're: three', 'four']);
    expect(turn.knownSeq).toBe(0);
  });

  test('contains the whole window of a new session with the same id', async () => {
    const session = await newSession();
    const { untilAnswer } = await takeTurn(session, 'one');
    await service.client.deleteSession({ session });
    await service.client.createSession({ session });
    await takeTurn(session, 'other');
    const turn = await begin(session, 'two', { known: untilAnswer });
    expect(textsOf(turn)).toEqual(['other', 're: other', 'two']);
    expect(turn.knownSeq).toBe(0);
  });

  test('contains the only event of a session although the executor claims later ones', async () => {
    const session = await newSession();
    const { sessionPk, timeline, invocationId, fence, lastSeq } = await begin(session, 'one');
    const ending = { accountId: session.accountId, sessionPk, invocationId, fence, lastSeq, events: [] };
    await service.client.appendEvents({ ...ending, end: completed });
    const turn = await begin(session, 'two', { known: { sessionPk, lastSeq: 9, timeline } });
    expect(textsOf(turn)).toEqual(['one', 'two']);
    expect(turn.knownSeq).toBe(0);
  });

  test('contains the whole window if the executor claims to hold events that do not exist yet', async () => {
    const session = await newSession();
    const { untilAnswer } = await takeTurn(session, 'one');
    const turn = await begin(session, 'two', { known: { ...untilAnswer, lastSeq: 9 } });
    expect(textsOf(turn)).toEqual(['one', 're: one', 'two']);
    expect(turn.knownSeq).toBe(0);
  });
});

describe('after the restore of a backup, under the same timeline', () => {
  /** A session whose second turn was lost, and what an executor knows that has taken it. */
  async function restored() {
    const session = await newSession();
    await takeTurn(session, 'one');
    await using backup = await backUp(session);
    const lost = await takeTurn(session, 'lost');
    await backup.restore();
    return { session, lost };
  }

  test('the whole window is sent to an executor that holds as many events, of which the last is another one', async () => {
    const { session, lost } = await restored();
    await takeTurn(session, 'other');
    const turn = await begin(session, 'two', { known: lost.untilAnswer });
    expect(textsOf(turn)).toEqual(['one', 're: one', 'other', 're: other', 'two']);
    expect([turn.knownSeq, turn.timeline]).toEqual([0, lost.turn.timeline]);
  });

  test.each([20, 2])(
    'the whole window is sent to an executor that holds fewer events, with a window of %s',
    async (window) => {
      const { session, lost } = await restored();
      await takeTurn(session, 'other');
      await takeTurn(session, 'next');
      const turn = await begin(session, 'two', { known: lost.untilAnswer, window });
      const all = ['one', 're: one', 'other', 're: other', 'next', 're: next', 'two'];
      expect(textsOf(turn)).toEqual(window === 20 ? all : all.slice(-3));
      expect(turn.knownSeq).toBe(0);
    },
  );

  test('a run that interrupts another gets the whole window, too', async () => {
    const { session, lost } = await restored();
    await takeTurn(session, 'other');
    const turn = await begin(session, 'two', { known: lost.untilAnswer, multitask: Multitask.INTERRUPT });
    expect(textsOf(turn)).toEqual(['one', 're: one', 'other', 're: other', 'two']);
  });
});

/** The present length of a session, to which it is cut later. */
async function backUp({ accountId, sessionId }: ReturnType<typeof newKey>) {
  const migrations = new URL('../migrations/', import.meta.url);
  const options = { service: 'sessions', url: service.databaseUrl, poolSize: 2, migrations };
  const db = await openDatabase(options, createLogger({ level: 'silent', name: 'test' }));
  const text = 'select pk, last_seq, last_update_time, bytes from sessions where account_id = $1 and id = $2';
  const [row] = await db.query<{ pk: bigint; last_seq: number; last_update_time: number; bytes: bigint }>({ text }, [
    accountId,
    sessionId,
  ]);
  if (row === undefined) throw new Error('there is no such session');
  return {
    async restore() {
      const events = 'delete from events where account_id = $1 and session_pk = $2 and seq > $3';
      await db.query({ text: events }, [accountId, row.pk, row.last_seq]);
      const session =
        'update sessions set last_seq = $3, last_update_time = $4, bytes = $5 where account_id = $1 and pk = $2';
      await db.query({ text: session }, [accountId, row.pk, row.last_seq, row.last_update_time, row.bytes]);
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

test('after a failover that lost commits, nothing that an executor has of them is taken as known, and no number of theirs is given again', {
  timeout: 60_000,
}, async () => {
  await using server = await startFailingOver();
  await using replica = await startSessions({ DATABASE_URL: server.url }, { databaseUrl: server.url });
  const { client } = replica;
  const [session, begun, lost, next] = [newKey(), newKey(), newKey(), newKey()];
  for (const key of [session, begun]) await client.createSession({ session: key });
  await takeTurn(session, 'one', {}, replica);
  const attempt = await begin(begun, 'begun', {}, replica);
  const append = (lastSeq: number) => {
    const { sessionPk, invocationId, fence } = attempt;
    const events = [agentEvent(invocationId, `after ${lastSeq}`)];
    return client.appendEvents({ accountId: begun.accountId, sessionPk, invocationId, fence, lastSeq, events });
  };
  await server.copy();
  const { turn: held, untilAnswer } = await answered(() => takeTurn(session, 'lost', {}, replica));
  expect(await append(1)).toMatchObject({ lastSeq: 2 });
  await client.createSession({ session: lost });
  const numberOfLost = (await takeTurn(lost, 'lost', {}, replica)).turn.sessionPk;
  await server.failOver();
  await answered(() => takeTurn(session, 'other', {}, replica));
  const turn = await begin(session, 'two', { known: untilAnswer }, replica);
  expect(textsOf(turn)).toEqual(['one', 're: one', 'other', 're: other', 'two']);
  expect([turn.knownSeq, turn.timeline !== held.timeline]).toEqual([0, true]);
  await expect(append(2)).rejects.toMatchObject({ reason: 'fence_lost' });
  await client.createSession({ session: next });
  expect((await takeTurn(next, 'new', {}, replica)).turn.sessionPk).toBeGreaterThan(numberOfLost + 1_000n);
});

/** The answer once the connections to the former server are given up. */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!/unavailable|outcome/.test(String((error as MeshError).code) + (error as MeshError).reason)) throw error;
      await sleep(50);
    }
  }
}
