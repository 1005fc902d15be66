import { expect, test } from 'vitest';
import { startEdge } from '../edge.ts';

test('notifications are listed page by page, also when a mesh has made more than 2^31 of them', async () => {
  const ids = [2n ** 40n, 2n ** 31n + 1n, 2n ** 31n, 7n];
  await using edge = await startEdge({
    notices: {
      countUnreadNotices: () => ({ count: ids.length }),
      listNotices: ({ beforeId, limit }) => ({
        notices: ids
          .filter((id) => beforeId === 0n || id < beforeId)
          .slice(0, limit)
          .map((id) => ({ id })),
      }),
    },
  });
  const listed: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await edge.send(`/api/notifications?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(page.status).toBe(200);
    listed.push(...(page.body as { notifications: { id: number }[] }).notifications.map(({ id }) => id));
    cursor = page.headers.get('x-next-cursor');
  }
  expect(listed).toEqual(ids.map(Number));
});
