import { RunStatus, type Turn } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test, vi } from 'vitest';
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

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

/** Lets the leases of a session expire, `seconds` ago. */
async function expire({ sessionPk }: Turn, seconds = 1): Promise<void> {
  const text = 'update runs set due_at = now() - make_interval(secs => $2) where session_pk = $1 and ended_at is null';
  await askDatabase(text, [sessionPk, seconds]);
}

/** Claims like an executor that takes runs over; answers the turns of the session. */
async function claim({ sessionId }: Key, over: object = {}, by = service): Promise<Turn[]> {
  const request = { owner: 'heir', window: 2, limit: 100, takesOver: true, apps: ['echo'], ...over };
  const { turns } = await by.client.claimRuns(request);
  return turns.filter(({ session }) => session?.sessionId === sessionId);
}

/**
 * Claims until there are turns of the session. One call takes over few runs, the longest dead first, and none while the service has just been
 * held up itself.
 */
function claimed(
  session: Key,
  over: object = {},
  claims = (): Promise<Turn[]> => claim(session, over),
): Promise<Turn[]> {
  const someTurns = async () => {
    const turns = await claims();
    return turns.length > 0 && turns;
  };
  return vi.waitUntil(someTurns, { timeout: 30_000 });
}

/** Claims until a run of the session is like this. */
async function untilRun(session: Key, invocationId: string, wanted: object, over: object = {}): Promise<void> {
  const run = async () => {
    await claim(session, over);
    return statusOf(session, invocationId);
  };
  await expect.poll(run).toMatchObject(wanted);
}

async function statusOf({ accountId }: Key, invocationId: string) {
  return (await service.client.getRun({ accountId, invocationId })).run;
}

test('many runs of one dead executor are taken over by few calls', async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => newSession()));
  const dead = await Promise.all(sessions.map((session) => begin(session, 'one')));
  const pks = dead.map(({ sessionPk }) => sessionPk);
  await askDatabase(`update runs set due_at = now() - interval '1 s' where session_pk = any($1)`, [pks]);
  const request = { owner: 'heir', window: 2, takesOver: true, apps: ['echo'] };
  const someTurns = async () => {
    const { turns } = await service.client.claimRuns(request);
    return turns.length > 0 && turns;
  };
  // A call answers nothing while the service has just been held up itself. The heir must not die meanwhile.
  const next = () => vi.waitUntil(someTurns, { timeout: 30_000 });
  const first = await next();
  const keep = `update runs set due_at = now() + interval '1 hour' where takeovers = 1 and session_pk = any($1) returning 1`;
  expect(await askDatabase(keep, [pks])).toHaveLength(16);
  const counts = [first.length, (await next()).length];
  expect(counts).toEqual([16, 4]);
  expect(await askDatabase(keep, [pks])).toHaveLength(20);
});

describe('a run whose executor has died', () => {
  test('is taken over by one of many, with all its events, and the dead one can store nothing more', async () => {
    const session = await newSession();
    const before = await begin(session, 'earlier');
    await service.client.appendEvents(appendTo(before, [agentEvent(before.invocationId, 'done')], completed));
    const dead = await begin(session, 'one', { streaming: true });
    const said = ['a', 'b', 'c', 'd'].map((text) => agentEvent(dead.invocationId, text));
    await service.client.appendEvents(appendTo(dead, said));
    expect(await claim(session)).toEqual([]);
    await expire(dead);
    const claims = () => Array.from({ length: 6 }, (_, n) => claim(session, {}, n % 2 === 0 ? service : replica));
    const [turn, ...others] = await claimed(session, {}, async () => (await Promise.all(claims())).flat());
    expect(others).toEqual([]);
    expect(turn).toMatchObject({ invocationId: dead.invocationId, isTakeover: true, attempt: 2, streaming: true });
    expect(turn?.events.map((bytes) => textOf(parse(bytes)))).toEqual(['one', 'a', 'b', 'c', 'd']);
    const late = service.client.appendEvents({ ...appendTo(dead, [agentEvent('x', 'late')]), lastSeq: 7 });
    await expect(late).rejects.toMatchObject({ reason: 'fence_lost' });
    await service.client.appendEvents(appendTo(turn as Turn, [agentEvent(dead.invocationId, 'e')], completed));
    expect(await statusOf(session, dead.invocationId)).toMatchObject({ status: RunStatus.COMPLETED, attempt: 2 });
    const { events } = await readSession(service.client, session);
    expect(events.map(textOf).slice(2)).toEqual(['one', 'a', 'b', 'c', 'd', 'e']);
  });

  test('is taken over by an executor that has no room for more', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    await expire(dead);
    const heir = { invocationId: dead.invocationId, isTakeover: true };
    expect(await claimed(session, { limit: 0 })).toMatchObject([heir]);
  });

  test('waits for an executor of its app, and ends as failed after a minute without one', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    await expire(dead, 50);
    expect(await claim(session, { apps: ['other'] })).toEqual([]);
    expect(await statusOf(session, dead.invocationId)).toMatchObject({ status: RunStatus.RUNNING });
    await expire(dead, 61);
    const failed = { status: RunStatus.FAILED, errorCode: 'INTERRUPTED' };
    await untilRun(session, dead.invocationId, failed, { apps: ['other'] });
    await begin(session, 'two');
  });

  test('ends as failed when three more executors have died with it', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    for (let attempt = 2; attempt <= 4; attempt++) {
      await expire(dead);
      expect(await claimed(session)).toMatchObject([{ attempt }]);
    }
    await expire(dead);
    await untilRun(session, dead.invocationId, { errorCode: 'INTERRUPTED', attempt: 4 });
  });

  test('holds up the runs of its session until it is over, and is ended when it was being cancelled', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    const { accountId } = session;
    const { invocationId } = await service.client.beginTurn(beginWith(session, 'two'));
    await expire(dead);
    expect((await claimed(session)).map(({ invocationId }) => invocationId)).toEqual([dead.invocationId]);
    await service.client.cancelRun({ accountId, invocationId: dead.invocationId });
    await expire(dead);
    await untilRun(session, dead.invocationId, { status: RunStatus.CANCELLED });
    const named = { owner: 'heir', window: 2, takesOver: true, session, invocationId };
    expect((await service.client.claimRuns(named)).turns).toMatchObject([{ isTakeover: false }]);
  });

  test('holds up no other, whatever its events and its row are like', async () => {
    const [odd, broken, late, sound] = [await newSession(), await newSession(), await newSession(), await newSession()];
    const dead = await begin(odd, 'one');
    const most = { usageMetadata: { totalTokenCount: 1.7e308 } };
    const events = [{ content: { parts: [null] } }, most, most].map((fields) => usedEvent(dead.invocationId, fields));
    await service.client.appendEvents(appendTo(dead, events));
    const failing = await begin(broken, 'one');
    const { sessionPk } = await service.client.beginTurn(beginWith(late, 'one', { postpone: true }));
    const whole = await begin(sound, 'one');
    await askDatabase(
      `create function refuse_run() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
      [],
    );
    await askDatabase(
      `create trigger refuse_run before update on runs for each row
        when (new.session_pk in (${failing.sessionPk}, ${sessionPk}) and new.owner = 'heir') execute function refuse_run()`,
      [],
    );
    for (const turn of [failing, dead, whole]) await expire(turn);
    await expire({ ...whole, sessionPk });
    const started = new Map<string, Turn>();
    const both = async (): Promise<boolean> => {
      const { turns } = await service.client.claimRuns({ owner: 'heir', window: 2, limit: 100, takesOver: true });
      for (const turn of turns) started.set(turn.invocationId, turn);
      return started.has(dead.invocationId) && started.has(whole.invocationId);
    };
    await expect.poll(both, { timeout: 30_000 }).toBe(true);
    await askDatabase('drop trigger refuse_run on runs', []);
    const { unreportedJson } = started.get(dead.invocationId) as Turn;
    expect(parse(unreportedJson)).toMatchObject({ modelCalls: 2 });
  });

  test('has used what its stored events tell, whoever goes on with it or ends it', async () => {
    const session = await newSession();
    const dead = await begin(session, 'one');
    const answer = (over: object = {}) =>
      usedEvent(dead.invocationId, { usageMetadata: { totalTokenCount: 5 }, ...over });
    await service.client.appendEvents(
      appendTo(dead, [answer({ content: { parts: [{ functionCall: { name: 'f' } }] } })]),
    );
    await expire(dead);
    const used = { toolCalls: 1, modelCalls: 1, totalTokenCount: 5 };
    const [heir] = (await claimed(session)) as [Turn];
    expect([parse(heir.usedJson), parse(heir.unreportedJson)]).toMatchObject([used, used]);
    await service.client.appendEvents(appendTo(heir, [answer()]));
    await expire(dead);
    const [next] = (await claimed(session)) as [Turn];
    const twice = { toolCalls: 1, modelCalls: 2, totalTokenCount: 10 };
    expect(parse(next.unreportedJson)).toMatchObject(twice);
    const report = { ...waitingFor(['call']), usageJson: json({ modelCalls: 3, totalTokenCount: 20 }) };
    await service.client.appendEvents(appendTo(next, [callEvent(dead.invocationId, ['call'])], report));
    const going = await begin(session, 'answer', { answeredCallIds: ['call'] });
    expect([parse(going.usedJson), going.unreportedJson.length]).toEqual([{ modelCalls: 3, totalTokenCount: 20 }, 0]);
    await service.client.appendEvents(appendTo(going, [answer()]));
    await expire(dead, 61);
    await untilRun(session, dead.invocationId, { status: RunStatus.FAILED });
    const { usageJson } = (await statusOf(session, dead.invocationId)) ?? {};
    expect(parse(usageJson ?? new Uint8Array())).toMatchObject({ modelCalls: 4, totalTokenCount: 25 });
  });
});

/** An answer of a model, as public JSON with these fields. */
function usedEvent(invocationId: string, fields: object) {
  const event = agentEvent(invocationId, 'said');
  return {
    ...event,
    json: json({ id: event.id, author: 'agent', invocationId, timestamp: event.timestamp, ...fields }),
  };
}
