import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import {
  agentEvent,
  beginWith,
  json,
  newKey,
  readSession,
  startSessions,
  type TestSessions,
  textOf,
} from './sessions.ts';
import { appendTo, completed } from './turns/drive-turns.ts';

function open({ databaseUrl: url }: TestSessions) {
  const migrations = new URL('../migrations/', import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  return openDatabase({ service: 'sessions', url, poolSize: 3, migrations }, log);
}

/** Copies the rows of an account from every table that has an account. */
async function moveAccount(from: TestSessions, to: TestSessions, accountId: string): Promise<void> {
  await using source = await open(from);
  await using target = await open(to);
  const tables = await source.query<{ name: string }>({
    text: `select table_name as name from information_schema.columns where table_schema = 'sessions' and column_name = 'account_id'`,
  });
  for (const { name } of tables) {
    const [row] = await source.query<{ rows: string | null }>(
      { text: `select json_agg(t)::text as rows from ${name} t where account_id = $1` },
      [accountId],
    );
    const text = `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, $1::json)`;
    await target.query({ text }, [row?.rows ?? '[]']);
  }
}

test('an account lives on in another database: its rows refer to nothing but rows of the account', async () => {
  await using first = await startSessions();
  await using second = await startSessions();
  // Each database of a map gives its own numbers, so that those of moved accounts meet no others.
  await using numbers = await open(second);
  await numbers.query({ text: 'alter table sessions alter column pk restart with 1000000000000' });
  await numbers.query({ text: 'alter table runs alter column position restart with 1000000000000' });
  for (const service of [first, second]) await service.client.createSession({ session: newKey() });
  const session = newKey();
  await first.client.createSession({ session, stateJson: json({ a: 1, 'app:b': 2, 'user:c': 3 }) });
  const { turn } = await first.client.beginTurn(beginWith(session, 'one'));
  if (turn === undefined) throw new Error('the run was queued');
  await first.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'answer')], completed));
  await moveAccount(first, second, session.accountId);
  const moved = await readSession(second.client, session);
  expect(moved).toEqual(await readSession(first.client, session));
  const next = (await second.client.beginTurn(beginWith(session, 'two'))).turn;
  expect(next?.events.map((bytes) => textOf(JSON.parse(Buffer.from(bytes).toString()) as never))).toEqual([
    'one',
    'answer',
    'two',
  ]);
  expect((await second.client.listRuns({ accountId: session.accountId })).runs).toHaveLength(2);
});
