import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { Context } from '../../context.ts';
import { addNotice } from './add-notice.ts';
import { listNotices } from './list-notices.ts';

test('a notice about something other than a run is made once, and only with valid fields', async () => {
  await using database = await openTestDatabase();
  const published: unknown[] = [];
  const bus = { publish: async (_: unknown, hint: unknown) => void published.push(hint) };
  const context = { db: database.db, bus, log } as unknown as Context;
  const add = (fields: object): Promise<unknown> => Promise.resolve(addNotice(context)(fields as never, {} as never));
  const notice = { accountId: randomUUID(), key: 'watch 1', type: 'subscription_failing', title: 'Mail', body: 'Why' };
  await Promise.all([add(notice), add(notice)]);
  await add({ ...notice, key: 'watch 2' });
  await add({ ...notice, accountId: randomUUID() });
  expect(published).toHaveLength(3);
  for (const bad of [{ key: '' }, { type: 'Run' }, { title: 'x'.repeat(501) }, { body: '\0' }]) {
    await expect(add({ ...notice, ...bad })).rejects.toMatchObject({ reason: 'request_invalid' });
  }
  const page = { accountId: notice.accountId, unreadOnly: true, beforeId: 0n, limit: 0 };
  const { notices } = await listNotices(context)(page as never, {} as never);
  expect(notices).toMatchObject([
    { type: 'subscription_failing', title: 'Mail', body: 'Why', invocationId: '', sessionId: '' },
    { invocationId: '' },
  ]);
});
