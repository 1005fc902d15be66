import { setImmediate as immediate } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../pg/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import type { Attempt, Jobs } from './index.ts';
import { greet, greetDue, openTestQueue, type TestQueue } from './testing.ts';
import { Workers } from './workers.ts';

let queue: TestQueue;
let db: Database;
let jobs: Jobs;
beforeAll(async () => {
  queue = await openTestQueue();
  ({ db, jobs } = queue);
});
afterAll(() => queue[Symbol.asyncDispose]());

describe('workers', () => {
  test('of several replicas that start at once do each job once, woken or not', async () => {
    await using fresh = await testDatabaseUrl();
    await using stack = new AsyncDisposableStack();
    const greeted: string[] = [];
    const replicas = await Promise.all(
      [1, 2, 3].map(async () => stack.use(await queue.openJobs(stack.use(await queue.openDatabase(fresh.url))))),
    );
    for (const replica of replicas) await replica.work(greet, async ({ to }) => void greeted.push(to));
    const names = Array.from({ length: 40 }, (_, n) => `guest ${n}`);
    await using admin = await queue.openDatabase(fresh.url);
    await replicas[0]?.add(
      admin,
      greet,
      names.map((to) => ({ payload: { to } })),
    );
    replicas[0]?.wake(greet);
    await expect.poll(() => greeted.length).toBe(40);
    await replicas[1]?.settle();
    expect(greeted.toSorted()).toEqual(names.toSorted());
  });

  test('do as many jobs at a time as their task allows', async () => {
    await using replica = await queue.openJobs(db);
    const gate = Promise.withResolvers<void>();
    let running = 0;
    await replica.work(greet, async () => {
      running += 1;
      await gate.promise;
    });
    await replica.add(
      db,
      greet,
      Array.from({ length: 5 }, () => ({ payload: { to: 'many' } })),
    );
    replica.wake(greet);
    await expect.poll(() => running).toBe(3);
    gate.resolve();
    await replica.settle();
    expect(running).toBe(5);
  });

  test.each(['first', 'second'])('take a job at once while the %s of them has a long one', async (which) => {
    await using replica = await queue.openJobs(db);
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    // They do not look by themselves during the test.
    await replica.work({ ...greet, pollSeconds: 60 }, async ({ to }) => {
      begun.push(to);
      if (to === 'slow') await gate.promise;
    });
    const add = async (to: string) => {
      await replica.add(db, greet, [{ payload: { to } }]);
      replica.wake(greet);
      await expect.poll(() => begun.at(-1)).toBe(to);
    };
    try {
      if (which === 'second') await add('before');
      await add('slow');
      await add('quick');
      await add('quicker');
    } finally {
      gate.resolve();
    }
  });

  test('look for jobs by themselves while one of them has a long one', async () => {
    await using replica = await queue.openJobs(db);
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    await replica.work(greet, async ({ to }) => {
      begun.push(to);
      if (to === 'slow') await gate.promise;
    });
    try {
      for (const to of ['before', 'slow', 'quick', 'quicker']) {
        await jobs.add(db, greet, [{ payload: { to } }]);
        await expect.poll(() => begun.at(-1)).toBe(to);
      }
    } finally {
      gate.resolve();
    }
  });

  test('put a job back for another process when it does not end in time, without a pause', async () => {
    const replica = await queue.openJobs(db);
    await replica.work(greet, (_, { signal }) => {
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason));
      return promise;
    });
    await replica.add(db, greet, [{ payload: { to: 'endless' } }]);
    replica.wake(greet);
    await expect.poll(async () => (await activeJobs()).length).toBe(1);
    queue.logged.length = 0;
    await replica[Symbol.asyncDispose]();
    expect(await greetDue(jobs)).toEqual(['endless']);
    expect(queue.logged).not.toContain('a job failed and is tried again');
  });

  test('begin no job once the process drains, and let the one in hand end', async () => {
    const draining = new AbortController();
    const replica = await queue.openJobs(db, draining.signal);
    const gate = Promise.withResolvers<void>();
    const ended: string[] = [];
    let begun: Attempt | undefined;
    await replica.work({ ...greet, atOnce: 1 }, async ({ to }, attempt) => {
      begun = attempt;
      await gate.promise;
      ended.push(to);
    });
    await replica.add(db, greet, [{ payload: { to: 'in hand' } }]);
    await replica.add(db, greet, [{ payload: { to: 'waiting' } }]);
    replica.wake(greet);
    await expect.poll(() => begun?.number).toBe(1);
    draining.abort();
    gate.resolve();
    await replica[Symbol.asyncDispose]();
    expect(ended).toEqual(['in hand']);
    expect(await greetDue(jobs)).toEqual(['waiting']);
  });

  test('end while PostgreSQL is away', async () => {
    await using fresh = await testDatabaseUrl();
    const database = await queue.openDatabase(fresh.url);
    const replica = await queue.openJobs(database);
    let began = false;
    await replica.work(greet, async () => {
      began = true;
      await dropDatabase(fresh.url);
    });
    await replica.add(database, greet, [{ payload: { to: 'the last one' } }]);
    replica.wake(greet);
    await expect.poll(() => began).toBe(true);
    await replica[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
});

test('a login without rights beyond its two schemas is enough', async () => {
  await using fresh = await testDatabaseUrl();
  await execute(
    fresh.url,
    `do $$ begin create role greeter_login login password 'x'; exception when duplicate_object then null; end $$;
     create schema greeter authorization greeter_login; create schema greeter_jobs authorization greeter_login;`,
  );
  const address = new URL(fresh.url);
  [address.username, address.password] = ['greeter_login', 'x'];
  await using database = await queue.openDatabase(address.href);
  await using replica = await queue.openJobs(database);
  await replica.add(database, greet, [{ payload: { to: 'least' } }]);
  expect(await greetDue(replica)).toEqual(['least']);
});

const activeJobs = () => db.query({ text: `select from greeter_jobs.job where state = 'active'` });

async function dropDatabase(address: string): Promise<void> {
  const server = new URL(address);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  await execute(server.href, `drop database ${name} with (force)`);
}

async function execute(address: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await client.query(text);
  await client.end();
}

test('workers are added one by one while all are busy, up to the number of their task, and none by a failure', async () => {
  const works: ((jobs: object[]) => Promise<void>)[] = [];
  const notified: string[] = [];
  let isAway = false;
  const boss = {
    work: async (_name: string, _options: object, work: (jobs: object[]) => Promise<void>) => {
      if (isAway) throw new Error('PostgreSQL is away');
      return String(works.push(work));
    },
    notifyWorker: (id: string) => void notified.push(id),
  };
  const gate = Promise.withResolvers<void>();
  const workers = new Workers(boss as never, { ...greet, atOnce: 3 });
  await workers.start(() => gate.promise);
  workers.wake();
  await immediate();
  expect([works.length, notified]).toEqual([1, ['1']]);
  isAway = true;
  const first = works[0]?.([{}]);
  await immediate();
  expect(works).toHaveLength(1);
  isAway = false;
  for (const more of [2, 3, 3]) {
    workers.wake();
    await immediate();
    expect(works).toHaveLength(more);
    void works[more - 1]?.([{}]);
  }
  gate.resolve();
  await first;
});
