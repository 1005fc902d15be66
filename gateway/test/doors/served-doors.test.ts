import { expect, it } from 'vitest';
import { startEdge } from '../edge.ts';

const paths = ['/v1/models', '/agui/a'];

it.each(['none,openai', 'openai, none', 'none,none'])('DOORS=%s is refused at the start', async (DOORS) => {
  await expect(startEdge({ env: { DOORS } })).rejects.toThrow('DOORS names none beside others, but none stands alone');
});

it.each([
  ['none', [404, 404]],
  ['openai', [401, 404]],
])('DOORS=%s serves these doors alone', async (DOORS, statuses) => {
  await using edge = await startEdge({ env: { DOORS } });
  const answers = await Promise.all(paths.map((path) => edge.send(path, { headers: { authorization: null } })));
  expect(answers.map(({ status }) => status)).toEqual(statuses);
});
