import { expect, inject, test } from 'vitest';
import { newAccount, sessionPath } from '../../caller.ts';

const text = (bytes: number) => 'x'.repeat(bytes);

test('large state is refused with 413, stores nothing, and leaves the app usable', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const session = await caller.createSession();
  const patch = (stateDelta: object) => caller.request('PATCH', sessionPath(session), { stateDelta });
  expect(await patch({ 'app:one': text(5_000_000) })).toMatchObject({
    status: 413,
    body: { code: 'state_value_too_large' },
  });
  const statuses: number[] = [];
  for (const key of ['a', 'b', 'c', 'd']) statuses.push((await patch({ [`app:${key}`]: text(3_500_000) })).status);
  expect(statuses).toEqual([200, 200, 413, 413]);
  const delta = { 'app:e': text(3_500_000) };
  expect(await caller.run(session, 'no', { stateDelta: delta })).toMatchObject({
    status: 413,
    body: { code: 'state_too_large' },
  });
  expect(await caller.run(session, 'hello')).toMatchObject({ status: 200 });
  expect(Object.keys((await caller.readSession(session)).state ?? {})).toEqual(['app:a', 'app:b']);
});
