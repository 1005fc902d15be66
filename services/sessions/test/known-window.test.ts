import { AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, json, newKey, parse, startSessionsForFile, textOf } from './sessions.ts';

const service = startSessionsForFile();

const completed = { outcome: AttemptEnd_Outcome.COMPLETED };

async function newSession() {
  const session = newKey();
  await service.client.createSession({ session });
  return session;
}

async function begin(session: ReturnType<typeof newKey>, text: string, over: object = {}): Promise<Turn> {
  const { turn } = await service.client.beginTurn(beginWith(session, text, over));
  if (turn === undefined) throw new Error('the run was queued');
  return turn;
}

/** A whole turn: a user message and an answer. */
async function takeTurn(session: ReturnType<typeof newKey>, text: string, over: object = {}): Promise<Turn> {
  const turn = await begin(session, text, over);
  const { sessionPk, invocationId, fence, lastSeq } = turn;
  await service.client.appendEvents({
    accountId: session.accountId,
    sessionPk,
    invocationId,
    fence,
    lastSeq,
    events: [agentEvent(invocationId, `re: ${text}`)],
    end: completed,
  });
  return turn;
}

function textsOf(turn: Turn): string[] {
  return turn.events.map((bytes) => textOf(parse(bytes)));
}

describe('a turn of an executor that holds recent events', () => {
  test('contains only newer events, and says so', async () => {
    const session = await newSession();
    const { sessionPk } = await takeTurn(session, 'one');
    const turn = await begin(session, 'two', { known: { sessionPk, lastSeq: 1 } });
    expect(textsOf(turn)).toEqual(['re: one', 'two']);
    expect(turn).toMatchObject({ knownSeq: 1, lastSeq: 3, turnStarts: [3] });
  });

  test('contains events that others have written since', async () => {
    const session = await newSession();
    const { sessionPk } = await takeTurn(session, 'one');
    await takeTurn(session, 'two');
    await service.client.patchSession({ session, stateDeltaJson: json({ a: 1 }) });
    const turn = await begin(session, 'three', { known: { sessionPk, lastSeq: 2 } });
    expect(textsOf(turn).filter((text) => text !== '')).toEqual(['two', 're: two', 'three']);
    expect(turn).toMatchObject({ knownSeq: 2, lastSeq: 6, turnStarts: [3, 6] });
  });

  test('contains the whole window when more events were written than a window holds', async () => {
    const session = await newSession();
    const { sessionPk } = await takeTurn(session, 'one');
    await takeTurn(session, 'two');
    await takeTurn(session, 'three');
    const turn = await begin(session, 'four', { known: { sessionPk, lastSeq: 2 }, window: 3 });
    expect(textsOf(turn)).toEqual(['three', 're: three', 'four']);
    expect(turn.knownSeq).toBe(0);
  });

  test('contains the whole window of a new session with the same id', async () => {
    const session = await newSession();
    const { sessionPk } = await takeTurn(session, 'one');
    await service.client.deleteSession({ session });
    await service.client.createSession({ session });
    await takeTurn(session, 'other');
    const turn = await begin(session, 'two', { known: { sessionPk, lastSeq: 2 } });
    expect(textsOf(turn)).toEqual(['other', 're: other', 'two']);
    expect(turn.knownSeq).toBe(0);
  });

  test('contains the whole window if the executor claims to hold events that do not exist yet', async () => {
    const session = await newSession();
    const { sessionPk } = await takeTurn(session, 'one');
    const turn = await begin(session, 'two', { known: { sessionPk, lastSeq: 9 } });
    expect(textsOf(turn)).toEqual(['one', 're: one', 'two']);
    expect(turn.knownSeq).toBe(0);
  });
});
