import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

const path = '/api/retention';

test('an account sets for how long its runs and events are kept, by application', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const nothing = { rules: [], default_days: null };
  expect(await caller.request('GET', path)).toMatchObject({ status: 200, body: nothing });
  const rules = [
    { app_name: null, days: 90 },
    { app_name: 'echo', days: null },
  ];
  const set = await caller.request('PUT', path, { rules: rules.toReversed() });
  expect(set).toMatchObject({ status: 200, body: { rules, default_days: null } });
  expect(await caller.request('GET', path)).toMatchObject({ body: { rules } });
  expect(await (await newAccount(inject('meshUrl'))).request('GET', path)).toMatchObject({ body: nothing });
  for (const wrong of [{ days: 0 }, { days: 1.5 }, { app_name: '' }, { day: 1 }]) {
    expect((await caller.request('PUT', path, { rules: [wrong] })).status).toBe(422);
  }
  expect(await caller.request('PUT', path, { rules: [{ days: 1 }, { days: 2 }] })).toMatchObject({ status: 400 });
  expect(await caller.request('PUT', path, { rules: [] })).toMatchObject({ status: 200, body: nothing });
});
