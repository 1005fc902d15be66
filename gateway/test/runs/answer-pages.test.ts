import { MeshError } from '@agentmesh/lib/rpc';
import { expect, it } from 'vitest';
import { startEdge } from '../edge.ts';

it('a link that is cut off gets a page, and an address that opens too many gets another, before auth is asked', async () => {
  const asked: string[] = [];
  await using edge = await startEdge({
    env: { RATE_LIMIT_ANSWER_ADDRESS_BURST: '3', RATE_LIMIT_ANSWER_ADDRESS_PER_HOUR: '60' },
    auth: {
      findAnswerLink: ({ token }) => {
        asked.push(token);
        throw new MeshError('not_found', 'answer_link_not_found', 'There is no such link.');
      },
    },
  });
  const open = (query: string) => edge.send(`/run-answers${query}`, { headers: { authorization: null } });
  for (const query of ['', '?token=', `?token=${'x'.repeat(200)}`]) {
    const page = await open(query);
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Open it again from the mail.');
  }
  const json = { token: 'x', answer0: 'approve' };
  for (const refused of [
    await open('?token=x'),
    await edge.send('/run-answers', { json, headers: { authorization: null } }),
  ]) {
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
    expect(refused.headers.get('retry-after')).toMatch(/^(5\d|60)$/);
    expect(refused.text).toContain('Too many pages were opened.');
  }
  expect(asked).toHaveLength(3);
});
