import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentMesh } from '@agentmesh/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { startCommand } from './start-command.ts';

const url = inject('meshUrl');
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-sign-in-'));
let mesh: AgentMesh;
let token: string;

beforeAll(async () => {
  token = (await newAccount(url)).token ?? '';
  mesh = new AgentMesh({ url, token });
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = (args: readonly string[]) => startCommand(folder, args, {});

describe('agentmesh', () => {
  test('keeps the token of login in a file that only its owner can read, and forgets it', async () => {
    const login = start(['login', '--with-token']);
    login.child.stdin?.end(`${token}\n`);
    expect((await login.ended).code).toBe(0);
    const file = join(folder, 'agentmesh', 'credentials.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await start(['whoami']).ended).out).toContain('@example.com');
    expect((await start(['whoami', '--url', 'http://127.0.0.1:9']).ended).code).toBe(2);
    const logout = await start(['logout']).ended;
    const told = expect.stringMatching(`^Forgot the token for ${url}, which stays valid: revoke it at .*\n$`);
    expect(logout).toEqual({ code: 0, out: '', err: told });
    expect((await start(['whoami']).ended).code).toBe(2);
    expect((await start(['logout']).ended).err).toBe('No token was stored.\n');
  });

  test('revokes at logout the personal token of login, and says where that is done when it cannot', async () => {
    const logIn = async () => {
      const { token } = await mesh.tokens.create({ name: 'laptop', scopes: ['account:read'] });
      const login = start(['login', '--with-token']);
      login.child.stdin?.end(token);
      expect((await login.ended).code).toBe(0);
      return new AgentMesh({ url, token });
    };
    const first = await logIn();
    expect(await start(['logout']).ended).toEqual({ code: 0, out: '', err: `Revoked the token for ${url}.\n` });
    await expect.poll(() => first.account.me().catch(String)).toContain('UnauthenticatedError');
    const second = await logIn();
    await second.tokens.revokeCurrent();
    const again = `Forgot the token for ${url}, which was not valid any more.\n`;
    await expect.poll(() => second.account.me().catch(String)).toContain('UnauthenticatedError');
    expect((await start(['logout']).ended).err).toBe(again);
    const third = await logIn();
    const file = join(folder, 'agentmesh', 'credentials.json');
    const { token } = JSON.parse(readFileSync(file, 'utf8')) as { token: string };
    writeFileSync(file, JSON.stringify({ url: 'http://127.0.0.1:9', token }));
    const offline = await start(['logout']).ended;
    expect([offline.code, offline.err]).toEqual([
      0,
      expect.stringMatching(
        /^Forgot the token for http:..127.0.0.1:9, which stays valid: revoke it at .*tokens \(.+\)\n$/,
      ),
    ]);
    expect((await third.account.me()).email).toContain('@example.com');
    expect(existsSync(file)).toBe(false);
  });

  test('signs in with a code that a person approves elsewhere', async () => {
    const login = start(['login']);
    await expect.poll(() => login.written.err).toMatch(/code=[B-Z]{4}-[B-Z]{4}\n/);
    const code = /code=(\S+)/.exec(login.written.err)?.[1] ?? '';
    const shown = await mesh.call('GET', '/api/auth/device', { query: { code } });
    expect(shown.client).toContain('agentmesh on');
    await mesh.call('POST', '/api/auth/device/approve', { body: { user_code: code } });
    expect((await login.ended).code).toBe(0);
    expect((await start(['whoami']).ended).out).toContain('@example.com');
    await start(['logout']).ended;
  });
});
