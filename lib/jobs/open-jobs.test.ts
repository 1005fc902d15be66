import { afterAll, beforeAll, expect, test } from 'vitest';
import { greet, greetSoon, greetThrice, openTestQueue, type TestQueue } from './testing.ts';

let queue: TestQueue;
beforeAll(async () => {
  queue = await openTestQueue();
});
afterAll(() => queue[Symbol.asyncDispose]());

test('a service looks for the jobs of all its tasks over one connection more at most', async () => {
  await using db = await queue.openDatabase();
  await using jobs = await queue.openJobs(db);
  await using watcher = await queue.openDatabase();
  const text = `select count(*)::int as count from pg_stat_activity where application_name = 'agentmesh greeter'`;
  const count = async (): Promise<number> => (await watcher.query<{ count: number }>({ text }))[0]?.count ?? 0;
  const before = await count();
  const greeted = Promise.withResolvers<void>();
  for (const task of [greet, greetSoon, greetThrice]) await jobs.work(task, async () => greeted.resolve());
  await jobs.add(db, greetThrice, [{ payload: { to: 'ada' } }]);
  jobs.wake(greetThrice);
  await greeted.promise;
  await jobs.settle();
  expect((await count()) - before).toBeLessThanOrEqual(1);
});

test('a start writes the rules of a task when they are new, and nothing when they are there', async () => {
  const { db } = queue;
  const text = `select xmin::text as version, expire_seconds from greeter_jobs.queue where name = 'greet'`;
  const row = async () => (await db.query<{ version: string; expire_seconds: number }>({ text }))[0];
  const first = await row();
  await (await queue.openJobs(db))[Symbol.asyncDispose]();
  expect(await row()).toEqual(first);
  await db.query({ text: `update greeter_jobs.queue set expire_seconds = 1 where name = 'greet'` });
  await (await queue.openJobs(db))[Symbol.asyncDispose]();
  expect((await row())?.expire_seconds).toBe(first?.expire_seconds);
});
