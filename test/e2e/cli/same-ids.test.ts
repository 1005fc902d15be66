import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { startCommand } from './start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'agentmesh-same-ids-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('--session names the run among those of several sessions with one id: watched, shown, listed, answered and cancelled', async () => {
  const caller = await newAccount(inject('meshUrl'));
  const start = (...args: string[]) => startCommand(folder, args, { AGENTMESH_TOKEN: caller.token ?? '' });
  const command = (...args: string[]) => start(...args).ended;
  const [older, newer] = [await caller.createSession(), await caller.createSession()];
  const run = `asked-${older.id}`;
  const sessionOf = (out: string) => (JSON.parse(out) as { sessionId: string }).sessionId;
  await caller.run(older, 'first [[tool:request_input {}]]', { invocationId: run });
  await caller.run(newer, 'second [[tool:request_input {}]]', { invocationId: run });

  expect(sessionOf((await command('runs', run, '--json')).out)).toBe(newer.id);
  expect(sessionOf((await command('runs', run, '--session', older.id, '--json')).out)).toBe(older.id);
  const { out: list } = await command('runs', '--session', older.id, '--json');
  expect(JSON.parse(list)).toMatchObject([{ sessionId: older.id }]);
  expect((await command('inbox')).out).toMatch(new RegExp(`${run}.*${newer.id}.*\n${run}.*${older.id}`));
  for (const id of [[], [run]]) {
    const { code, err } = await command('tail', ...id, '--session', older.id);
    expect([code, err]).toEqual([3, expect.stringContaining(`agentmesh answer ${run} --session ${older.id} '`)]);
    const { out } = await command('tail', ...id, '--session', older.id, '--json');
    expect(JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ record: { sessionId: older.id } });
  }
  expect(await command('logs', run, '--session', older.id)).toMatchObject({ code: 0 });
  expect(await command('logs', run, '--session', 'none')).toMatchObject({ code: 1 });

  expect(await command('answer', run, 'yes', '--session', older.id)).toMatchObject({
    code: 0,
    out: expect.stringContaining('first'),
  });
  const { out: answered } = await command('runs', '--status', 'completed', '--json');
  expect(JSON.parse(answered)).toMatchObject([{ sessionId: older.id }]);
  expect(await command('cancel', run, '--session', older.id)).toMatchObject({ code: 0, out: 'completed\n' });
  expect(await command('cancel', run, '--session', newer.id)).toMatchObject({ code: 0, out: 'cancelled\n' });
});
