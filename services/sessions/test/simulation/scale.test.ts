import { openDatabase } from '@agentmesh/lib/pg';
import { recordExecutions, recordStatements, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { callEverything, readsMany } from '../call-everything.ts';
import { newKey, startSessions } from '../sessions.ts';

const isFull = process.env.VERIFY === 'full';
const sessions = isFull ? 1_000_000 : 4_000;
const eventsOfSession = 10;
const mostBlocks = 50;
/** A statement writes up to two runs, each with an entry in seven indexes of three or four levels, besides the session, an event and state. */
const mostBlocksWritten = 60;

/** A hundred accounts with two apps and fifty users each. Every session has events, a row of state and a run. */
const fill = [
  `insert into sessions (account_id, app_name, user_id, id, last_seq, last_update_time)
   select md5('a' || n % 100)::uuid, 'app' || n % 2, 'user' || n / 100 % 50, 's' || n, ${eventsOfSession}, 1 from generate_series(1, ${sessions}) n`,
  `insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
   select account_id, pk, n, 'e' || n, 'i' || n, 'user', n, n % 2 = 1, '{"content":{"parts":[{"text":"hello"}]}}'
   from sessions, generate_series(1, ${eventsOfSession}) n`,
  `insert into state (account_id, app_name, scope, key, value, bytes)
   select account_id, app_name, 'session:' || pk, 'k', '1'::json, 2 from sessions`,
  `insert into runs (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, ended_at)
   select account_id, app_name, user_id, id, pk, 'i' || pk, 'completed', 'o', now() from sessions`,
  `insert into run_keys (account_id, idempotency_key, invocation_id, request_sha256) select account_id, 'k' || pk, 'i' || pk, '' from sessions`,
  `insert into credential_requests (account_id, user_id, nonce_sha256, session_pk) select account_id, user_id, md5(id), pk from sessions`,
];

/** Statements of the service's own tables, except lists and rounds: they cost what they show or delete. */
const isPoint = (name: string): boolean =>
  !readsMany(name) && !/^list-|\b(pg_|outbox|migrations|usage|generate_series|set_config|bus\.)/.test(name);

test(`at ${sessions} sessions, every statement for one session finds its rows by index, in at most ${mostBlocks} blocks`, async () => {
  await using database = await testDatabaseUrl();
  const migrations = new URL('../../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  await using db = await openDatabase({ service: 'sessions', url: database.url, poolSize: 3, migrations }, log);
  for (const text of fill) await db.forLongWork().query({ text });
  await db.forLongWork().query({ text: 'analyze' });
  const [row] = await db.query<{ account: string }>({ text: "select md5('a7')::uuid as account" });
  using executions = recordExecutions(database.url);
  using statements = recordStatements();
  const session = newKey({ accountId: row?.account ?? '', appName: 'app1', userId: 'user1' });
  let warm = 0;
  {
    await using service = await startSessions({}, { databaseUrl: executions.url });
    // The first statements of a connection also read the catalog.
    for (let round = 0; round < 2; round += 1) await callEverything(service, { ...session, sessionId: `new ${round}` });
    warm = executions.all.length;
    await callEverything(service, session);
  }
  const names = new Map([...statements.texts].map(([name, text]) => [text, name]));
  const named = executions.all
    .slice(warm)
    .map((execution) => ({ ...execution, name: names.get(execution.text) ?? '' }));
  const points = named.filter(({ name }) => name !== '' && isPoint(name));
  const most = (pick: (point: (typeof points)[number]) => number) => Math.max(...points.map(pick));
  const mostRead = most(({ blocks, blocksWritten }) => blocks - blocksWritten);
  const mostWritten = most(({ blocksWritten }) => blocksWritten);
  process.stdout.write(
    `sessions: ${sessions}, statements: ${points.length}, most blocks read: ${mostRead}, written: ${mostWritten}\n`,
  );
  expect(points.length).toBeGreaterThan(40);
  const wrong = points.filter(
    ({ blocks, blocksWritten, scanned }) =>
      blocks - blocksWritten > mostBlocks || blocksWritten > mostBlocksWritten || scanned.length > 0,
  );
  expect(wrong.map(({ text: _, ...cost }) => cost)).toEqual([]);
}, 1_800_000);
