import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { Context } from '../../context.ts';
import { createWatchers } from '../../notices/watchers.ts';
import { addNotice } from './add-notice.ts';
import { listNotices } from './list-notices.ts';
import { watchNotices } from './watch-notices.ts';

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
