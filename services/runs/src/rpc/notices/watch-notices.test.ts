import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { Context } from '../../context.ts';
import { storeNotice } from '../../execution/notices/store-notice.ts';
import { createWatchers } from '../../execution/notices/watchers.ts';
import { insertSourceNotice } from '../../store/notices.ts';
import { addNotice } from './add-notice.ts';
import { listNotices } from './list-notices.ts';
import { watchNotices } from './watch-notices.ts';

const waiting = {
  text: 'select 1 from pg_locks join pg_stat_activity using (pid) where datname = current_database() and not granted',
};

test('a watch misses no notice whose transaction commits later than that of a newer one', async () => {
  await using database = await openTestDatabase();
  const { db } = database;
  const ending = new AbortController();
  const bus = { publish: async () => undefined };
  const context = { db, bus, log, watchers: createWatchers(), draining: ending.signal } as unknown as Context;
  const accountId = randomUUID();
  const rest = { accountId, type: 'test', body: '' };
  const call = { signal: ending.signal } as never;
  const [isInserted, commits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const older = db.transaction(async (tx) => {
    const insert = () => insertSourceNotice(tx, { ...rest, key: 'older', title: 'older' });
    await storeNotice(tx, accountId, insert);
    isInserted.resolve();
    await commits.promise;
  });
  await isInserted.promise;
  let isNewerStored = false;
  const newer = addNotice(context)({ ...rest, key: 'newer', title: 'newer' } as never, {} as never);
  void Promise.resolve(newer).then(() => (isNewerStored = true));
  await expect.poll(async () => isNewerStored || (await db.query(waiting)).length > 0).toBe(true);
  const seen = watchNotices(context)({ accountId, afterId: 0n } as never, call) as AsyncIterable<{ notice: object }>;
  const watch = seen[Symbol.asyncIterator]();
  const first = watch.next();
  await expect.poll(async () => (await db.query({ text: 'select 1 from notices' })).length).toBe(isNewerStored ? 1 : 0);
  commits.resolve();
  await Promise.all([older, newer]);
  context.watchers.wake(accountId);
  expect(await first).toMatchObject({ value: { notice: { title: 'older' } } });
  expect(await watch.next()).toMatchObject({ value: { notice: { title: 'newer' } } });
  ending.abort();
});

test('a watch begins behind the notice that it names, however late it comes, and otherwise behind the newest one', async () => {
  await using database = await openTestDatabase();
  const [bus, watchers] = [{ publish: async () => undefined }, createWatchers()];
  const ending = new AbortController();
  const context = { db: database.db, bus, log, watchers, draining: ending.signal } as unknown as Context;
  const accountId = randomUUID();
  const add = async (key: string): Promise<void> => {
    await addNotice(context)({ accountId, key, type: 'test', title: key, body: '' } as never, {} as never);
    watchers.wake(accountId);
  };
  const watch = (over: object) => {
    const call = { signal: ending.signal } as never;
    const seen = watchNotices(context)({ accountId, ...over } as never, call) as AsyncIterable<{ notice: object }>;
    return seen[Symbol.asyncIterator]();
  };
  await add('one');
  const page = { accountId, unreadOnly: false, beforeId: 0n, limit: 1 };
  const [newest] = (await listNotices(context)(page as never, {} as never)).notices ?? [];
  await add('two');
  const late = watch({ afterId: newest?.id });
  expect(await late.next()).toMatchObject({ value: { notice: { title: 'two' } } });
  let first: unknown;
  const begun = watch({})
    .next()
    .then((next) => (first = next));
  let more = 0;
  // It has begun when one of them comes.
  await expect
    .poll(() => add(`more ${++more}`).then(() => first))
    .toMatchObject({ value: { notice: { title: expect.stringMatching(/^more/) } } });
  expect(await late.next()).toMatchObject({ value: { notice: { title: 'more 1' } } });
  await begun;
  ending.abort();
});
