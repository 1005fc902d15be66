import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMemory, type TestMemory } from './memory.ts';

const migrations = new URL('../migrations/', import.meta.url);
const resources = new AsyncDisposableStack();
let service: TestMemory;
let db: Database;

beforeAll(async () => {
  service = resources.use(await startMemory());
  const options = { service: 'memory', url: service.databaseUrl, poolSize: 2, migrations };
  db = resources.use(await openDatabase(options, createLogger({ level: 'silent', name: 'test' })));
});
afterAll(() => resources.disposeAsync());

const fill = {
  text: `with added as (
      insert into partitions (account_id, app_name, user_id) select $1, 'app', 'u' || n from generate_series(1, $2::int) n returning pk
    )
    insert into entries (account_id, partition_pk, place, id, session_id, event_id, invocation_id, author, ts, content, language)
      select $1, pk, place, gen_random_uuid(), 's', 'e', 'i', 'user', 1, '{}', 'simple' from added, generate_series(1, 2) place`,
};
const countMemories = { text: 'select count(*)::int as memories from partitions where account_id = $1' };

/** An account with so many memories of two entries. */
async function accountWith(memories: number): Promise<string> {
  const accountId = randomUUID();
  await db.query(fill, [accountId, memories]);
  return accountId;
}

const memoriesOf = async (accountId: string) => (await db.query<{ memories: number }>(countMemories, [accountId]))[0];

describe('the erasure of an account', () => {
  test('deletes the entries of each memory by a statement of its own, whose time is limited', async () => {
    const accountId = await accountWith(3);
    await db.runScript(`create function check_bounds() returns trigger language plpgsql as $$ begin
        if (select count(distinct partition_pk) from gone) > 1 then raise 'a statement for several memories'; end if; return null; end $$;
      create trigger bounds after delete on entries referencing old table as gone for each statement execute function check_bounds()`);
    expect(await service.erase(accountId)).toBe(6n);
    await db.runScript('drop trigger bounds on entries; drop function check_bounds');
    expect(await memoriesOf(accountId)).toEqual({ memories: 0 });
  });

  test('leaves nothing of a memory that the batches have passed', async () => {
    const accountId = await accountWith(1);
    const passed = `insert into partitions (pk, account_id, app_name, user_id) overriding system value values (-1, $1, 'app', 'late')`;
    await db.query({ text: passed }, [accountId]);
    expect(await service.erase(accountId)).toBe(2n);
    expect(await memoriesOf(accountId)).toEqual({ memories: 0 });
  });

  test('that fails goes on with the memories that are left, and counts each entry once', async () => {
    const accountId = await accountWith(120);
    // A sequence is not rolled back: the 110th memory fails once.
    await db.runScript(`create sequence deletions; create function fail_once() returns trigger language plpgsql as $$ begin
        if nextval('deletions') = 110 then raise 'the 110th memory'; end if; return null; end $$;
      create trigger fails before delete on entries for each statement execute function fail_once()`);
    expect(await service.erase(accountId)).toBe(240n);
    const [done] = await db.query<{ last_value: bigint }>({ text: 'select last_value from deletions' });
    await db.runScript('drop trigger fails on entries; drop function fail_once; drop sequence deletions');
    expect(await memoriesOf(accountId)).toEqual({ memories: 0 });
    // One hundred were deleted before the failure, and one statement more deletes what belongs to no memory.
    expect(done?.last_value).toBe(110n + 20n + 1n);
  });
});
