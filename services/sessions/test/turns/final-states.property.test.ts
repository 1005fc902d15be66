import { AttemptEnd_Outcome, Multitask, type Turn } from '@agentmesh/proto/sessions/v1';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { appendTo, completed, driveTurns } from './drive-turns.ts';
import {
  agentEvent,
  beginWith,
  json,
  type newKey,
  readSession,
  type RunningSessions,
  startSessionsForFile,
} from '../sessions.ts';

const service = startSessionsForFile();
// Statements of one replica commit one after the other; those of two really meet.
const replica = startSessionsForFile({}, service);

beforeAll(async () => {
  await askDatabase('create table final_states (session_pk bigint, invocation_id text, attempt int, status text)', []);
  // A final state that replaces another one is an error that no later read would show.
  await askDatabase(
    `create function note_final() returns trigger language plpgsql as $$ begin
       insert into final_states values (new.session_pk, new.invocation_id, new.attempt, new.status); return new; end $$`,
    [],
  );
  await askDatabase(
    `create trigger note_final after update on runs for each row
       when (new.status in ('completed', 'failed', 'cancelled', 'interrupted') and old.status is distinct from new.status)
       execute function note_final()`,
    [],
  );
});

const { newSession, begin, askDatabase } = driveTurns(service);

type Key = ReturnType<typeof newKey>;

const steps = [
  'cancel first',
  'cancel second',
  'cancel third',
  'end',
  'end waiting',
  'close',
  'expire',
  'claim',
  'delete',
  'interrupt',
  'roll back',
  'message',
] as const;
type Step = (typeof steps)[number];

interface Scene {
  readonly session: Key;
  readonly turn: Turn;
  readonly ids: readonly string[];
}

/** A session with a running run and two queued ones. */
async function newScene(): Promise<Scene> {
  const session = await newSession();
  const turn = await begin(session, 'one');
  const ids = [turn.invocationId];
  for (const text of ['two', 'three'])
    ids.push((await service.client.beginTurn(beginWith(session, text))).invocationId);
  return { session, turn, ids };
}

const claim = () => service.client.claimRuns({ owner: 'heir', window: 9, limit: 100 });

function take(step: Step, { session, turn, ids }: Scene, { client }: RunningSessions): Promise<unknown> {
  const { accountId } = session;
  const said = [agentEvent(turn.invocationId, 'said')];
  const cancel = (invocationId = '') => client.cancelRun({ accountId, invocationId });
  switch (step) {
    case 'cancel first':
      return cancel(ids[0]);
    case 'cancel second':
      return cancel(ids[1]);
    case 'cancel third':
      return cancel(ids[2]);
    case 'end':
      return client.appendEvents(appendTo(turn, said, completed));
    case 'end waiting':
      return client.appendEvents(appendTo(turn, said, { outcome: AttemptEnd_Outcome.WAITING }));
    case 'close':
      return client.appendEvents(appendTo(turn, said, { outcome: AttemptEnd_Outcome.CANCELLED }));
    case 'expire':
      return expireLeases(session);
    case 'claim':
      return claim();
    case 'message':
      return client.addRunMessage({
        accountId,
        invocationId: ids[1] ?? '',
        messageJson: json({ role: 'user', parts: [{ text: 'more' }] }),
      });
    case 'interrupt':
      return client.beginTurn(beginWith(session, 'now', { multitask: Multitask.INTERRUPT }));
    case 'roll back':
      return client.beginTurn(beginWith(session, 'now', { multitask: Multitask.ROLLBACK }));
    case 'delete':
      return client.deleteSession({ session });
  }
}

function expireLeases({ accountId }: Key): Promise<unknown> {
  return askDatabase(`update runs set due_at = now() - interval '1 s' where account_id = $1 and ended_at is null`, [
    accountId,
  ]);
}

interface Row {
  readonly invocation_id: string;
  readonly status: string;
  readonly finals: number;
}

/** The runs of a session, each with the number of times that it got a final state. */
function runsOf({ accountId }: Key): Promise<Row[]> {
  return askDatabase<Row>(
    `select invocation_id, status, (select count(*)::int from final_states f
       where f.session_pk = r.session_pk and f.invocation_id = r.invocation_id) as finals
     from runs r where account_id = $1 order by position`,
    [accountId],
  );
}

/** Lets every lease expire and claims, until no run is open: a run whose executor never answers ends as failed or cancelled. */
async function settle({ session }: Scene): Promise<Row[]> {
  const open = ['queued', 'granted', 'running', 'cancelling'];
  const look = async (): Promise<boolean> => {
    await expireLeases(session);
    await claim();
    return (await runsOf(session)).some(({ status }) => open.includes(status));
  };
  await expect.poll(look, { interval: 5 }).toBe(false);
  return runsOf(session);
}

test('a run gets exactly one final state, whatever comes together: cancel, end, expiry of the lease, deletion', async () => {
  const script = fc.array(fc.uniqueArray(fc.constantFrom(...steps), { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(script, async (rounds) => {
      const scene = await newScene();
      for (const round of rounds) {
        const taken = round.map((step, place) => take(step, scene, place % 2 === 0 ? service : replica));
        await Promise.allSettled(taken);
      }
      const runs = await settle(scene);
      expect(runs.length).toBeGreaterThanOrEqual(3);
      const isWaiting = ({ status }: Row) => status === 'waiting';
      for (const run of runs) expect(run).toMatchObject({ finals: isWaiting(run) ? 0 : 1 });
      const steps = rounds.flat();
      const first = runs.find((run) => run.invocation_id === scene.turn.invocationId);
      const closed = ['cancel first', 'delete', 'close'] as const;
      if (!closed.some((step) => steps.includes(step))) expect(first?.status).not.toBe('cancelled');
      if (steps.includes('delete')) return;
      const { events } = await readSession(service.client, scene.session);
      const [session] = await askDatabase<{ turn: string | null; queued: number; last_seq: number }>(
        'select turn, queued, last_seq from sessions where pk = $1',
        [scene.turn.sessionPk],
      );
      expect(session).toEqual({ turn: null, queued: 0, last_seq: events.length });
    }),
    { numRuns: Number(process.env.FINAL_STATE_RUNS ?? 60) },
  );
}, 120_000);
