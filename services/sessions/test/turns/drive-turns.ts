import { type Database, openDatabase, type Transaction } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AttemptEnd_Outcome, type Turn } from '@agentmesh/proto/sessions/v1';
import { vi } from 'vitest';
import { agentEvent, beginWith, json, newKey, type RunningSessions } from '../sessions.ts';

export const completed = { outcome: AttemptEnd_Outcome.COMPLETED };

/** The request that appends events to a turn, and ends it if `end` is given. */
export function appendTo(turn: Turn, events: ReturnType<typeof agentEvent>[], end?: object) {
  const { sessionPk, invocationId, fence, lastSeq, isPlain } = turn;
  const accountId = turn.session?.accountId ?? '';
  return { accountId, sessionPk, invocationId, fence, lastSeq, events, ...(end && { end: { ...end, isPlain } }) };
}

/** The event of an agent that calls functions of these names, with their names as ids. */
export function callEvent(invocationId: string, names: readonly string[]) {
  const calls = names.map((name) => ({ functionCall: { id: name, name, args: {} } }));
  const event = agentEvent(invocationId, '');
  return { ...event, json: json({ id: event.id, author: 'agent', content: { role: 'model', parts: calls } }) };
}

/** The end of an attempt that waits for calls of these names. */
export function waitingFor(names: readonly string[], answerSeconds = 0) {
  const calls = names.map((name) => ({ functionCallId: name, name, eventId: 'e' }));
  return { outcome: AttemptEnd_Outcome.WAITING, waitingForJson: json(calls), answerSeconds };
}

/** Steps of tests with turns. */
export function driveTurns(service: RunningSessions) {
  return {
    newSession: async (state: object = {}) => {
      const session = newKey();
      await service.client.createSession({ session, stateJson: json(state) });
      return session;
    },
    begin: async (session: ReturnType<typeof newKey>, text: string, over: object = {}): Promise<Turn> => {
      const { turn } = await service.client.beginTurn(beginWith(session, text, over));
      if (turn === undefined) throw new Error('the run was queued');
      return turn;
    },
    /** A session in the given account, app and user. */
    sessionIn: async (over: Parameters<typeof newKey>[0]) => {
      const session = newKey(over);
      await service.client.createSession({ session });
      return session;
    },
    getRun: async ({ accountId }: ReturnType<typeof newKey>, invocationId: string, userId = '') =>
      (await service.client.getRun({ accountId, invocationId, userId })).run,
    /** Holds the row of a session, and calls `work` with the transaction once `waiter` waits for the row. Answers what the waiter does. */
    whileHeld: async <T>(
      { sessionId }: ReturnType<typeof newKey>,
      waiter: () => Promise<T>,
      work: (tx: Transaction) => Promise<unknown>,
    ): Promise<T> => {
      await using db = await openTestDatabase(service.databaseUrl);
      let waiting: Promise<T> | undefined;
      await db.transaction(async (tx) => {
        await tx.query({ text: 'select from sessions where id = $1 for update' }, [sessionId]);
        waiting = waiter();
        await isBlocked(db);
        await work(tx);
      });
      return (await waiting) as T;
    },
    askDatabase: async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> => {
      await using db = await openTestDatabase(service.databaseUrl);
      return await db.forLongWork().query<Row>({ text }, values);
    },
  };
}

/** The database of a service, through connections of its own. */
export function openTestDatabase(url: string): Promise<Database> {
  const migrations = new URL('../../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  return openDatabase({ service: 'sessions', url, poolSize: 3, migrations }, log);
}

const blocked = `select from pg_stat_activity
  where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;

/** Resolves when a statement waits for a row that another transaction holds, or when it is over. */
export async function isBlocked(db: Database, isOver = () => false): Promise<void> {
  const isWaiting = async () => isOver() || (await db.query({ text: blocked })).length > 0;
  await vi.waitUntil(isWaiting, { timeout: 30_000, interval: 10 });
}
