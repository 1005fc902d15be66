import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { type Ended, startCommand } from './start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'agentmesh-mistakes-'));
let token: string;

beforeAll(async () => {
  token = (await newAccount(inject('meshUrl'))).token ?? '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const command = (args: readonly string[], env: Record<string, string> = { AGENTMESH_TOKEN: token }): Promise<Ended> =>
  startCommand(folder, args, env).ended;

describe('a mistake names what to do:', () => {
  test.each(['127.0.0.1:8000', 'localhost:8000', 'http://'])('the address %s', async (address) => {
    const advice = 'Name it with --url or AGENTMESH_URL.';
    for (const args of [['whoami'], ['doctor'], ['login']])
      expect(await command([...args, '--url', address])).toMatchObject({
        code: 2,
        err: expect.stringContaining(advice) as string,
      });
    expect((await command(['whoami'], { AGENTMESH_URL: address })).err).toContain(advice);
  });

  test('an address where another program, or none, answers', async () => {
    const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { out } = await command(['doctor', '--url', url]);
    other.close();
    expect(out).toMatch(/is no Agent Mesh +name its address with --url or AGENTMESH_URL/);
    expect((await command(['doctor', '--url', 'http://127.0.0.1:9'])).out).toContain('--url or AGENTMESH_URL');
  });

  test('a token that is not valid, and none', async () => {
    const wrong = { AGENTMESH_TOKEN: 'wrong' };
    const advice = 'Set another AGENTMESH_TOKEN, or unset it and type: agentmesh login';
    expect((await command(['whoami'], wrong)).err).toContain(advice);
    expect((await command(['doctor'], wrong)).out).toContain(advice);
    const url = inject('meshUrl');
    expect((await command(['whoami', '--url', url], {})).err).toContain(`agentmesh login --url ${url}`);
    expect((await command(['doctor', '--url', url], {})).out).toContain(`agentmesh login --url ${url}`);
    expect((await command(['login', '--password'], {})).err).toContain('Type the command in one.');
  });

  test.each([
    [['runs', 'none'], 'agentmesh runs'],
    [['sessions', 'get', 'echo', 'none'], 'agentmesh sessions list <app>'],
    [['artifacts', 'get', 'echo', 'none', 'none'], 'agentmesh artifacts list <app> <session>'],
    [['schedules', 'pause', 'none'], 'agentmesh schedules list'],
    [['tokens', 'revoke', 'none'], 'agentmesh tokens list'],
    [['webhooks', 'retrigger', '7'], 'agentmesh webhooks logs'],
  ])('an unknown name in %j', async (args, list) => {
    expect((await command(args)).err).toContain(`Type: ${list}\n`);
  });
});

test('the help of usage names the groups that the server knows', async () => {
  const groups = /--by <group> +([^(]+)/.exec((await command(['help', 'usage'])).out)?.[1]?.split(/, | or |\s+/) ?? [];
  const named = groups.filter((it) => it !== '');
  expect(named).toHaveLength(6);
  for (const group of named) expect((await command(['usage', '--by', group])).code).toBe(0);
});
