import { AttemptEnd_Outcome as Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { agentEvent, beginWith, json, newKey, parse, startSessionsForFile, textOf } from './sessions.ts';

const service = startSessionsForFile();

const roomBytes = 16 * 1024 * 1024;
const photo = 'x'.repeat(3_000_000);

async function begin(session: ReturnType<typeof newKey>, text: string, over: object = {}): Promise<Turn> {
  const { turn } = await service.client.beginTurn(beginWith(session, text, over));
  if (turn === undefined) throw new Error('the run was queued');
  return turn;
}

async function answer(turn: Turn, texts: readonly string[], outcome = Outcome.COMPLETED): Promise<Turn> {
  const { sessionPk, invocationId, fence, session } = turn;
  let { lastSeq } = turn;
  for (const [index, text] of texts.entries()) {
    const end = index === texts.length - 1 ? { end: { outcome } } : {};
    const events = [agentEvent(invocationId, text)];
    const stored = { accountId: session?.accountId ?? '', sessionPk, invocationId, fence, lastSeq, events, ...end };
    ({ lastSeq } = await service.client.appendEvents(stored));
  }
  return turn;
}

const namesOf = (turn: Turn): string[] => turn.events.map((bytes) => textOf(parse(bytes)).slice(0, 3));
const bytesOf = (turn: Turn): number => turn.events.reduce((sum, bytes) => sum + bytes.length, 0);

describe('a window of large events', () => {
  test('holds the newest whole turns that fit', async () => {
    const session = newKey();
    await service.client.createSession({ session });
    for (const name of ['u1 ', 'u2 ', 'u3 ', 'u4 '])
      await answer(await begin(session, name + photo), [`a${name}${photo}`]);
    const turn = await begin(session, 'now');
    expect(namesOf(turn)).toEqual(['u3 ', 'au3', 'u4 ', 'au4', 'now']);
    expect(bytesOf(turn)).toBeLessThan(roomBytes);
  });

  test('leaves out a turn whose beginning does not fit', async () => {
    const session = newKey();
    await service.client.createSession({ session });
    await answer(
      await begin(session, 'u1 '),
      Array.from({ length: 6 }, (_, index) => `a${index} ${photo}`),
    );
    expect(namesOf(await begin(session, 'now'))).toEqual(['now']);
  });

  test('leaves out an event that is larger than a window', async () => {
    const session = newKey();
    await service.client.createSession({ session });
    await answer(await begin(session, 'u1 '), ['x'.repeat(roomBytes)]);
    expect(namesOf(await begin(session, 'now'))).toEqual(['now']);
  });

  test('holds the answered call in the middle of a turn whose beginning does not fit', async () => {
    const session = newKey();
    await service.client.createSession({ session });
    const asking = await begin(session, 'u1 ');
    const { sessionPk, invocationId, fence, lastSeq } = asking;
    const call = agentEvent(invocationId, '');
    const content = { role: 'model', parts: [{ functionCall: { id: 'adk-1', name: 'ask' } }] };
    const events = [
      ...Array.from({ length: 6 }, (_, index) => agentEvent(invocationId, `a${index} ${photo}`)),
      { ...call, json: json({ ...parse<object>(call.json), content }) },
    ];
    const { accountId } = session;
    const end = { outcome: Outcome.WAITING };
    await service.client.appendEvents({ accountId, sessionPk, invocationId, fence, lastSeq, events, end });
    const turn = await begin(session, 'yes', { answeredCallIds: ['adk-1'] });
    expect(namesOf(turn)).toEqual(['a1 ', 'a2 ', 'a3 ', 'a4 ', 'a5 ', '', 'yes']);
  });
});
