import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../pg/index.ts';
import { type Jobs, PermanentJobError } from './index.ts';
import { greet, greetDue, type Greeting, greetSoon, greetThrice, openTestQueue, type TestQueue } from './testing.ts';

let queue: TestQueue;
let db: Database;
let jobs: Jobs;
beforeAll(async () => {
  queue = await openTestQueue();
  ({ db, jobs } = queue);
});
afterAll(() => queue[Symbol.asyncDispose]());

async function rowsOf(to: string) {
  const text = `select id, state::text, data, retry_count, output, 5 * ceil(extract(epoch from start_after - now()) / 5) as due
    from greeter_jobs.job where data ->> 'to' = $1 or id::text = $1`;
  return db.query<{ id: string; state: string; data: string | null; output: string | null; due: string }>({ text }, [
    to,
  ]);
}

const makeDue = () => db.query({ text: `update greeter_jobs.job set start_after = now() where state = 'retry'` });

describe('a job', () => {
  test('exists when its transaction commits, and never when that rolls back', async () => {
    await db.transaction(async (tx) => {
      await jobs.add(tx, greet, [{ payload: { to: 'ada' } }, { payload: { to: 'grace' } }]);
      expect(await greetDue(jobs)).toEqual([]);
    });
    const failing = db.transaction(async (tx) => {
      await jobs.add(tx, greet, [{ payload: { to: 'nobody' } }]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect((await greetDue(jobs)).toSorted()).toEqual(['ada', 'grace']);
    expect(await rowsOf('ada')).toEqual([]);
  });

  test('with an invalid payload is refused before it is added', async () => {
    await expect(jobs.add(db, greet, [{ payload: {} as Greeting }])).rejects.toThrow(TypeError);
  });

  test('is tried again after the pauses of its task, of which the last repeats', async () => {
    await jobs.add(db, greet, [{ payload: { to: 'linus' } }]);
    const attempts: number[] = [];
    for (const due of ['5', '30', '30']) {
      await jobs.drain(greet, async (_, { number }) => {
        attempts.push(number);
        throw new Error('not now');
      });
      expect(await rowsOf('linus')).toMatchObject([{ state: 'retry', due }]);
      await makeDue();
    }
    expect(attempts).toEqual([1, 2, 3]);
    expect(await greetDue(jobs)).toEqual(['linus']);
  });

  test('of each task is counted from 0 for each outcome: Prometheus sees no increase in the first sample of a series', async () => {
    const told = await queue.metrics.registry.metrics();
    for (const task of ['greet', 'greet-soon', 'greet-thrice'])
      for (const outcome of ['done', 'retried', 'failed'])
        expect(told).toContain(`agentmesh_jobs_attempts_total{service="greeter",task="${task}",outcome="${outcome}"} `);
  });

  test('has failed for good after its last attempt: it is logged, counted, and loses a personal payload', async () => {
    const id = randomUUID();
    await jobs.add(db, greetThrice, [{ id, payload: { to: 'barbara' } }]);
    // Failures are logged once until a job of the task succeeds.
    queue.logged.length = 0;
    for (let n = 0; n < 4; n++) {
      await jobs.drain(greetThrice, () => Promise.reject(new Error('never')));
      await makeDue();
    }
    expect(queue.logged).toEqual(['a job failed and is tried again', 'a job has failed for good']);
    expect(await rowsOf('barbara')).toEqual([]);
    expect(await rowsOf(id)).toMatchObject([{ state: 'cancelled', data: 'null', output: '{"message": "never"}' }]);
    expect(await queue.metrics.registry.metrics()).toContain(
      'agentmesh_jobs_attempts_total{service="greeter",task="greet-thrice",outcome="failed"} 1',
    );
  });

  test('has failed for good at once when its handler says so, and keeps a payload that is not personal', async () => {
    await jobs.add(db, greet, [{ payload: { to: 'ken' } }]);
    await jobs.drain(greet, () => Promise.reject(new PermanentJobError('refused')));
    expect(await rowsOf('ken')).toMatchObject([{ state: 'cancelled', data: '{"to": "ken"}' }]);
  });

  test('that has failed for good is listed and retried by the statements of docs/operations.md', async () => {
    const document = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const statements = Array.from(document.matchAll(/```sql\n(.*?)```/gs), ([, text = '']) =>
      text.replaceAll('memory_jobs', 'greeter_jobs'),
    );
    expect(statements).toHaveLength(3);
    const run = (index: number) => db.query({ text: statements[index] ?? '' });
    await jobs.add(db, greetSoon, [{ payload: { to: 'margaret' } }]);
    expect(await run(0)).toContainEqual(expect.objectContaining({ name: 'greet-soon', state: 'created', count: 1n }));
    await jobs.drain(greetSoon, () => Promise.reject(new PermanentJobError('refused')));
    expect((await run(1))[0]).toMatchObject({ name: 'greet-soon', attempts: 1, error: 'refused' });
    await run(2);
    expect(await greetDue(jobs, greetSoon)).toEqual(['margaret']);
    await greetDue(jobs);
  });

  test('is given up when every attempt has ended with its process', async () => {
    await jobs.add(db, greetThrice, [{ payload: { to: 'poison' } }]);
    await db.query({ text: `update greeter_jobs.job set retry_count = 3 where data ->> 'to' = 'poison'` });
    expect(await greetDue(jobs, greetThrice)).toEqual([]);
    expect(await rowsOf('poison')).toEqual([]);
  });

  test('that runs out of time fails like any other, and the outcome of its handler is ignored', async () => {
    await jobs.add(db, greetSoon, [{ payload: { to: 'late' } }]);
    const [gate, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await jobs.drain(greetSoon, async () => {
      await gate.promise;
      ended.resolve();
    });
    const waiting = [{ state: 'retry', due: '5', output: expect.stringContaining('timeout') }];
    expect(await rowsOf('late')).toMatchObject(waiting);
    gate.resolve();
    await ended.promise;
    await jobs.settle();
    expect(await rowsOf('late')).toMatchObject(waiting);
    expect(await queue.metrics.registry.metrics()).toContain(
      'agentmesh_jobs_attempts_total{service="greeter",task="greet-soon",outcome="retried"} 1',
    );
    await jobs.remove(db, { to: 'late' });
  });

  test('with the same id is added once', async () => {
    const job = { id: randomUUID(), payload: { to: 'same' } };
    await jobs.add(db, greet, [job]);
    await jobs.add(db, greet, [job]);
    expect(await greetDue(jobs)).toEqual(['same']);
  });

  test('that is removed is not done, and not put back when it is in hand', async () => {
    const keep = { payload: { to: 'kept' } };
    await jobs.add(db, greet, [{ payload: { to: 'gone' } }, keep]);
    expect(await jobs.remove(db, { to: 'gone' })).toBe(1);
    expect(await greetDue(jobs)).toEqual(['kept']);
    await jobs.add(db, greet, [{ payload: { to: 'gone' } }]);
    await jobs.drain(greet, async () => {
      await jobs.remove(db, { to: 'gone' }, greet);
      throw new Error('too late');
    });
    expect(await rowsOf('gone')).toEqual([]);
  });

  test('that is put back while it is removed is removed', async () => {
    await jobs.add(db, greet, [{ payload: { to: 'put back' } }]);
    let removing: Promise<number> | undefined;
    await db.transaction(async (tx) => {
      const text = `with gone as (delete from greeter_jobs.job where data ->> 'to' = 'put back' returning *)
        insert into greeter_jobs.job select * from gone`;
      await tx.query({ text });
      removing = jobs.remove(db, { to: 'put back' });
      const waiting = {
        text: 'select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))',
      };
      await expect.poll(async () => (await tx.query(waiting)).length).toBe(1);
    });
    expect(await removing).toBe(1);
    expect(await rowsOf('put back')).toEqual([]);
  });
});
