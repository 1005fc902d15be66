import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { homelessEnvironment } from '../../plain-environment.ts';
import { type Ended, main, startCommand } from './start-command.ts';

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

  /** Findings of the doctor about a server with these answers, by path. */
  const diagnosisOf = async (answers: Record<string, readonly [status: number, body: object]>): Promise<string> => {
    const other = createServer(({ url = '' }, response) => {
      const [status, body] = answers[url] ?? [200, { status: 'ok', email: 'ada@example.com' }];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { out } = await command(['doctor', '--url', `http://127.0.0.1:${(other.address() as AddressInfo).port}`]);
    other.close();
    return out;
  };

  test('a saved key that the server cannot read any more', async () => {
    const key = { provider: 'openai', key_name: 'old', status: 'needs_reentry' };
    const out = await diagnosisOf({ '/api/saved-api-keys': [200, [key]] });
    expect(out).toMatch(/models +WRONG +cannot be read any more: openai \(old\) +.*agentmesh keys list/);
  });

  test('a database that is away, and not the token', async () => {
    const failed = { ok: false, error: 'failed' };
    // Memory that is switched off is well, too.
    const well = { ok: true, error: null };
    const checks = { auth: failed, sessions: failed, transcription: well, memory: well };
    const out = await diagnosisOf({
      '/readyz': [503, { detail: { status: 'not_ready', checks } }],
      '/api/users/me': [503, { detail: 'Accounts cannot be checked right now.', code: 'identity_unavailable' }],
    });
    expect(out).toMatch(
      /sign-in +WRONG +Accounts cannot be checked right now\. +try again when its services are ready/,
    );
    expect(out).toMatch(/services +WRONG +auth: failed, sessions: failed +/);
    expect(out).toMatch(/database +WRONG +.*start PostgreSQL/);
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
    [['webhooks', 'retrigger', 'none'], 'agentmesh webhooks logs'],
    [['keys', 'test', 'none'], 'agentmesh keys list'],
    [['keys', 'delete', 'none'], 'agentmesh keys list'],
  ])('an unknown name in %j', async (args, list) => {
    expect((await command(args)).err).toContain(`Type: ${list}\n`);
  });

  test('a version that an agent does not have', async () => {
    writeFileSync(join(folder, 'kept.yaml'), 'name: kept\nmodel: echo/default\ninstruction: Help.\n');
    expect((await command(['agents', 'push', 'kept.yaml'])).code).toBe(0);
    expect((await command(['agents', 'restore', 'kept', '99'])).err).toContain(
      'Type: agentmesh agents versions <agent>\n',
    );
  });

  const readers = [
    ['agents', 'push'],
    ['agents', 'diff', 'read'],
    ['run', 'echo', 'Look', '--file'],
    ['artifacts', 'put', 'echo', 'none'],
  ];
  test.each(readers)('a file to read in %s %s', async (...args) => {
    mkdirSync(join(folder, 'inner'), { recursive: true });
    writeFileSync(join(folder, 'read.yaml'), 'name: read\nmodel: echo/default\ninstruction: Help.\n');
    if (args.includes('diff')) await command(['agents', 'push', 'read.yaml']);
    const given = args.filter((it) => it !== undefined);
    expect(await command([...given, 'inner'])).toEqual({
      code: 2,
      out: '',
      err: 'agentmesh: inner is a folder: name a file.\n',
    });
    const missing = 'agentmesh: There is no file none.yaml: name one that exists.\n';
    expect(await command([...given, 'none.yaml'])).toEqual({ code: 2, out: '', err: missing });
    expect((await command([...given, 'read.yaml/none'])).err).toContain('read.yaml/none');
  });

  test('a file to write', async () => {
    mkdirSync(join(folder, 'inner'), { recursive: true });
    writeFileSync(join(folder, 'there.yaml'), 'name: written\nmodel: echo/default\ninstruction: Help.\n');
    await command(['agents', 'push', 'there.yaml']);
    const get = ['agents', 'get', 'written', '--output'];
    const cases = [
      [[...get, 'inner'], 'inner is a folder: name a file.'],
      [[...get, 'none/file'], 'There is no folder none: make it, or name another file.'],
      [['export', 'none/file'], 'There is no folder none: make it, or name another file.'],
      [['init', 'there.yaml'], 'there.yaml is no folder: name another one.'],
      [['init', 'there.yaml/inner'], 'there.yaml/inner cannot be made: a part of its path is a file.'],
    ] as const;
    for (const [args, told] of cases)
      expect([args, await command(args)]).toEqual([args, { code: 2, out: '', err: `agentmesh: ${told}\n` }]);
    const kept = 'agentmesh: there.yaml exists already: name another file.\n';
    expect(await command(['export', 'there.yaml'])).toEqual({ code: 1, out: '', err: kept });
  });

  test.each([
    ['runs', '--limit', 'x'],
    ['runs', '--limit', '0'],
    ['runs', '--limit', '2.5'],
    ['runs', '--min-cost', 'x'],
    ['runs', '--min-cost', '-1'],
    ['runs', '--status', 'nope'],
    ['sessions', 'list', 'echo', '--limit', '-1'],
    ['webhooks', 'logs', '--limit', 'x'],
    ['agents', 'restore', 'none', 'x'],
    ['artifacts', 'get', 'echo', 'none', 'none', '--version', 'x'],
    ['usage', '--from', 'yesterday'],
    ['usage', '--by', 'x'],
  ])('a value that %s %s does not take', async (...args) => {
    const { code, err } = await command(args);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: .*'.*' is invalid.*\. (It is|Allowed choices are) .+/);
  });

  test('no token on stdin', async () => {
    const { child, ended } = startCommand(folder, ['login', '--with-token'], {});
    child.stdin?.end();
    const { code, err } = await ended;
    expect([code, err]).toEqual([2, 'agentmesh: No token came on stdin: pipe one into the command.\n']);
  });
});

test('a folder in the place of the file of the sign-in is named, and no stack shown', async () => {
  const home = join(folder, 'agentmesh', 'credentials.json');
  mkdirSync(home, { recursive: true });
  const { child, ended } = startCommand(folder, ['login', '--with-token'], {});
  child.stdin?.end(token);
  const { code, err } = await ended;
  rmSync(home, { recursive: true });
  expect([code, err]).toEqual([2, `agentmesh: ${home} is a folder: name a file.\n`]);
});

test.skipIf(!existsSync('/dev/full'))('an output that cannot be written is told without a stack', async () => {
  const child = spawn(process.execPath, [main, 'agents', 'list', '--json'], {
    env: { ...homelessEnvironment, AGENTMESH_URL: inject('meshUrl'), AGENTMESH_TOKEN: token },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr as Readable)]);
  expect([code, err]).toEqual([1, expect.stringMatching(/^agentmesh: The output cannot be written: ENOSPC.*\n$/)]);
});

test('the help of usage names the groups that the server knows', async () => {
  const groups = /--by <group> +([^(]+)/.exec((await command(['help', 'usage'])).out)?.[1]?.split(/, | or |\s+/) ?? [];
  const named = groups.filter((it) => it !== '');
  expect(named).toHaveLength(6);
  for (const group of named) expect((await command(['usage', '--by', group])).code).toBe(0);
});
