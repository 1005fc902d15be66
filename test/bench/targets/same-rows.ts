import { randomUUID } from 'node:crypto';
import { openDatabase, orderedUuid } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';

/** Sessions and runs, stored as the service `sessions` stores them: in its tables, with their indexes, and with a value in the same columns. */
export interface SameRows extends AsyncDisposable {
  /** Returns the id of a new session. */
  createSession(): Promise<string>;
  /** Stores a run of two events: as it begins, and as it ends. */
  run(sessionId: string): Promise<void>;
}

const account = randomUUID();
const names = [account, 'echo', 'u1'] as const;

const insertSession = {
  name: 'insert-session',
  groupCommit: true,
  text: `insert into sessions (account_id, app_name, user_id, id, last_update_time, aging_from) values ($1, $2, $3, $4, $5, $5)`,
};

const insertEvent = `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
  select account_id, pk, last_seq, $6, $5, $7, $8, $9, $10 from moved`;

const beginRun = {
  name: 'begin-run',
  groupCommit: true,
  text: `with moved as (
      update sessions set version = version + 1, turn = $5, fence = fence + 1, last_seq = last_seq + 1, last_update_time = $8, bytes = bytes + $11
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
      returning account_id, app_name, user_id, id, pk, fence, last_seq
    ), run as (
      insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, fence, attempt, first_seq, started_at)
      select account_id, app_name, user_id, id, pk, $5, 'running', $12, fence, 1, last_seq, now() from moved
    ) ${insertEvent}`,
};

const endRun = {
  name: 'end-run',
  groupCommit: true,
  text: `with moved as (
      update sessions set version = version + 1, turn = null, last_seq = last_seq + 1, last_update_time = $8, bytes = bytes + $11
      where account_id = $1 and app_name = $2 and user_id = $3 and id = $4
      returning account_id, pk, last_seq
    ), run as (
      update runs r set status = 'completed', ended_at = now(), end_seq = moved.last_seq, model = 'echo', usage = $12, agent = $13
      from moved where r.account_id = moved.account_id and r.invocation_id = $5 and r.session_pk = moved.pk
    ) ${insertEvent}`,
};

const owner = `bench/${randomUUID()}`;
const usage = JSON.stringify({ modelCalls: 1, promptTokenCount: 2, candidatesTokenCount: 2, totalTokenCount: 4 });
const agent = JSON.stringify({ version: 'f6d6a08efd6a', filesTime: 1_795_894_549.518 });
const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
const message = { content: { parts: [{ text: 'Hello, mesh' }], role: 'user' }, actions, nodeInfo: { path: '' } };
const answer = {
  content: { role: 'model', parts: [{ text: 'Hello, mesh' }] },
  modelVersion: 'echo',
  finishReason: 'STOP',
  usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 2, totalTokenCount: 4 },
  actions,
  nodeInfo: { path: 'echo@1' },
};

/** Values of an event, from its id on: parameters 6 to 11. */
function eventOf(invocationId: string, author: 'user' | 'echo'): unknown[] {
  const [id, timestamp, isUser] = [randomUUID(), Date.now() / 1000, author === 'user'];
  const body = JSON.stringify({ id, author, invocationId, timestamp, ...(isUser ? message : answer) });
  return [id, author, timestamp, isUser, body, body.length];
}

/** Makes the tables of the service `sessions`. */
export async function openSameRows(url: string): Promise<SameRows> {
  const migrations = new URL('../../../services/sessions/migrations/', import.meta.url);
  const database = await openDatabase(
    { service: 'sessions', url, poolSize: 16, migrations },
    createLogger({ level: 'warn', name: 'bench' }),
  );
  return {
    createSession: async () => {
      const id = orderedUuid();
      await database.query(insertSession, [...names, id, Date.now() / 1000]);
      return id;
    },
    run: async (sessionId) => {
      const run = [...names, sessionId, `e-${orderedUuid()}`] as const;
      await database.query(beginRun, [...run, ...eventOf(run[4], 'user'), owner]);
      await database.query(endRun, [...run, ...eventOf(run[4], 'echo'), usage, agent]);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
