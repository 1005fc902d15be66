import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentMesh, type Run } from '@agentmesh/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import manifest from '../../../cli/package.json' with { type: 'json' };
import { type Ended, type Running, startCommand } from './start-command.ts';

const url = inject('meshUrl');
/** A person presses Ctrl-C again only after such a time; what comes sooner is one press. */
const secondPressMs = 600;
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-command-'));
let mesh: AgentMesh;
let token: string;

beforeAll(async () => {
  token = (await newAccount(url)).token ?? '';
  mesh = new AgentMesh({ url, token });
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = (args: readonly string[], env: Record<string, string> = { AGENTMESH_TOKEN: token }): Running =>
  startCommand(folder, args, env);
const command = (...args: string[]): Promise<Ended> => start(args).ended;

describe('agentmesh run', () => {
  test('prints the answer and ends with 0, or with 1 for a run that failed', async () => {
    expect(await command('run', 'echo', 'Hello, mesh')).toEqual({ code: 0, out: 'Hello, mesh\n', err: '' });
    const failed = await command('run', 'echo', '[[fail:broken]]');
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('The run failed')]);
  });

  test('sends files with a text, and a content as JSON', async () => {
    writeFileSync(join(folder, 'a.png'), 'not really');
    const { out } = await command('run', 'echo', 'Look', '--file', 'a.png', '--json');
    const [first] = out.split('\n').map((line) => JSON.parse(line || '{}') as { content?: object });
    const inlineData = {
      data: Buffer.from('not really').toString('base64url'),
      mimeType: 'image/png',
      displayName: 'a.png',
    };
    expect(first?.content).toMatchObject({
      parts: [{ text: 'Look' }, { inlineData: expect.objectContaining({ mimeType: 'image/png' }) }],
    });
    expect(JSON.stringify(first)).toContain(inlineData.data.replace(/=+$/, ''));
    const message = '{"parts": [{"text": "from JSON"}]}';
    expect(await command('run', 'echo', '--message', message)).toMatchObject({ code: 0, out: 'from JSON\n' });
    for (const wrong of [['--message', '{'], ['--message', message, 'text'], []])
      expect((await command('run', 'echo', ...wrong)).code).toBe(2);
  });

  test('prints a line of JSON for each event, and the record at the end', async () => {
    const { code, out } = await command('run', 'echo', 'Hello', '--json');
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { record?: Run; author?: string });
    expect([code, lines.at(-1)?.record?.status]).toEqual([0, 'completed']);
    expect(lines.filter(({ author }) => author === 'echo').length).toBeGreaterThan(0);
  });

  test('ends with 2 for wrong use, and says what to type when nobody is signed in', async () => {
    expect((await command('run', 'echo')).code).toBe(2);
    expect((await command('walk')).code).toBe(2);
    const { code, err } = await start(['run', 'echo', 'Hello'], {}).ended;
    expect([code, err]).toEqual([2, expect.stringContaining('agentmesh login')]);
  });

  test('ends with 3 when the run waits; inbox shows it, and answer goes on with it', async () => {
    const waiting = await command('run', 'echo', '[[tool:request_input {}]]');
    expect(waiting.code).toBe(3);
    const id = /agentmesh answer (\S+)/.exec(waiting.err)?.[1] ?? '';
    expect((await command('inbox')).out).toContain(id);
    expect((await command('answer', id, 'yes')).code).toBe(0);
    const again = await command('answer', id, 'no');
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('run_not_waiting')]);
  });

  test('leaves the run at the first Ctrl-C, which tail watches on, and cancels it at the second', async () => {
    const run = start(['run', 'echo', 'begin [[wait:60000]] end']);
    await expect.poll(() => run.written.out).toContain('begin');
    run.child.kill('SIGINT');
    const { code, err } = await run.ended;
    const id = /agentmesh tail (\S+)/.exec(err)?.[1] ?? '';
    expect([code, (await mesh.runs.get(id)).status]).toEqual([130, 'running']);
    const tail = start(['tail', id]);
    await expect.poll(() => tail.written.out).toContain('begin');
    tail.child.kill('SIGINT');
    await expect.poll(() => tail.written.err).toContain('Ctrl-C again after half a second');
    await delay(secondPressMs);
    tail.child.kill('SIGINT');
    expect((await tail.ended).code).toBe(130);
    expect((await mesh.runs.get(id)).status).toBe('cancelled');
  });

  test('takes signals that come together for one Ctrl-C: the terminal sends one, and the wrapper in a clone another', async () => {
    const run = start(['run', 'echo', 'begin [[wait:60000]] end']);
    await expect.poll(() => run.written.out).toContain('begin');
    // Signals that the command has not seen yet become one: of so many it sees several.
    for (let sent = 0; sent < 200; sent += 1) run.child.kill('SIGINT');
    const { code, err } = await run.ended;
    const id = /agentmesh tail (\S+)/.exec(err)?.[1] ?? '';
    expect([code, (await mesh.runs.get(id)).status]).toEqual([130, 'running']);
  });
});

describe('agentmesh', () => {
  test('prints the log of a run: time, level and message of each line, or JSON', async () => {
    const account = await newAccount(url);
    const own = { AGENTMESH_TOKEN: account.token ?? '' };
    const id = await makeAgent(account, { mcp_servers: [{ url: 'http://127.0.0.1:9/mcp' }] });
    const { headers } = await account.run(await account.createSession(`agent${id}`), 'hello');
    const run = headers.get('x-invocation-id') ?? '';
    const logs = (...args: string[]): Promise<Ended> => start(['logs', run, ...args], own).ended;
    await expect.poll(async () => (await logs()).out, { timeout: 20_000 }).not.toBe('');
    const { code, out, err } = await logs();
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^\d{4}-\d\d-\d\dT\S+Z warn  The tools of .+ cannot be used, .+\n$/);
    const lines = [expect.objectContaining({ level: 'warn', message: expect.any(String) })];
    expect(JSON.parse((await logs('--json')).out)).toEqual({ lines });
    const { invocationId } = await mesh.runs.start({ app: 'echo', user: 'user', text: 'Hello' });
    expect(await command('logs', invocationId)).toEqual({ code: 0, out: '', err: 'There are none.\n' });
    expect((await start(['logs', run]).ended).code).toBe(1);
  });

  test('lists runs and sessions as tables and as JSON, shows one, and cancels', async () => {
    const { invocationId, sessionId } = await mesh.runs.start({ app: 'echo', user: 'user', text: '[[wait:60000]]' });
    expect((await command('runs', '--limit', '5')).out).toMatch(new RegExp(`INVOCATION ID.*\n(.*\n)*${invocationId}`));
    expect(JSON.parse((await command('runs', invocationId, '--json')).out)).toMatchObject({ invocationId });
    expect((await command('cancel', invocationId)).out).toBe('cancelled\n');
    expect((await command('sessions', 'list', 'echo')).out).toContain(sessionId);
    expect((await command('runs', 'e-unknown')).code).toBe(1);
  });

  test('writes all of a long output into a pipe before it ends', async () => {
    const long = 'x'.repeat(500_000);
    const { id } = await mesh.sessions.create({ app: 'echo', user: 'user' }, { state: { long } });
    const { code, out } = await command('sessions', 'get', 'echo', id, '--json');
    expect([code, out.length > long.length, out.slice(-2)]).toEqual([0, true, '}\n']);
  });

  test('ends without a word when nobody reads its output any more', async () => {
    const run = start(['run', 'echo', 'one [[wait:300]] two [[wait:300]] three [[wait:300]] four']);
    await expect.poll(() => run.written.out).toContain('one');
    run.child.stdout?.destroy();
    expect(await run.ended).toMatchObject({ code: 0, err: '' });
  });

  test('pushes an agent from a file, compares it, and restores its former version', async () => {
    const file = join(folder, 'agent.yaml');
    const yaml = 'name: pushed\nmodel: openai/gpt-5-mini\ndescription: helps\ninstruction: Help.\n';
    writeFileSync(file, yaml);
    expect((await command('agents', 'push', file)).out).toContain('made pushed');
    expect((await command('agents', 'get', 'pushed', '--output', file)).code).toBe(0);
    expect(await command('agents', 'diff', 'pushed', file)).toMatchObject({ code: 0, out: '' });
    writeFileSync(file, readFileSync(file, 'utf8').replace('Help.', 'Help well.'));
    expect(await command('agents', 'diff', 'pushed', file)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/- .*Help\.\n\+ .*Help well\./),
    });
    expect((await command('agents', 'push', file)).out).toContain('changed pushed');
    expect((await command('agents', 'restore', 'pushed', '1')).code).toBe(0);
    expect((await command('agents', 'get', 'pushed')).out).toContain('Help.');
    expect((await command('agents', 'delete', 'pushed')).code).toBe(0);
    expect((await command('agents', 'get', 'pushed')).code).toBe(1);
  });

  test('tells each mistake of a pushed file with file, line and column, as `validate` does', async () => {
    writeFileSync(join(folder, 'wrong.yaml'), 'name: wrong\nmodle: echo/echo\ntools:\n  - http_gett\n');
    expect(await command('agents', 'push', 'wrong.yaml')).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /^wrong\.yaml:2:1: modle: is not a key here.*\nwrong\.yaml:4:5: tools\.0\.name: "http_gett" is not allowed.*\nagentmesh: wrong\.yaml has 2 mistakes \(agent_invalid\)\n$/,
      ),
    });
  });

  test('stores artifacts, and reads the latest or a version', async () => {
    const { id } = await mesh.sessions.create({ app: 'echo', user: 'user' });
    writeFileSync(join(folder, 'notes.txt'), 'Buy tea');
    expect((await command('artifacts', 'put', 'echo', id, 'notes.txt')).code).toBe(0);
    expect((await command('artifacts', 'list', 'echo', id)).out).toBe('notes.txt\n');
    expect((await command('artifacts', 'get', 'echo', id, 'notes.txt')).out).toBe('Buy tea');
    writeFileSync(join(folder, 'notes.txt'), 'Buy milk');
    expect((await command('artifacts', 'put', 'echo', id, 'notes.txt')).code).toBe(0);
    const { out: latest } = await command('artifacts', 'get', 'echo', id, 'notes.txt');
    const { out: first } = await command('artifacts', 'get', 'echo', id, 'notes.txt', '--version', '0');
    expect([latest, first]).toEqual(['Buy milk', 'Buy tea']);
  });

  test('talks line by line', async () => {
    const chat = start(['chat', 'echo']);
    chat.child.stdin?.end('one\ntwo\n');
    expect(await chat.ended).toMatchObject({ code: 0, out: 'one\ntwo\n' });
  });

  test('lists schedules, webhooks, keys, tokens, usage and memory', async () => {
    const made = await command('schedules', 'create', '0 9 * * *', 'echo', 'tick', '--json');
    const { id } = JSON.parse(made.out) as { id: string };
    expect((await command('schedules', 'list')).out).toContain('0 9 * * *');
    expect((await command('schedules', 'delete', id)).code).toBe(0);
    const lists = [
      ['webhooks', 'list'],
      ['webhooks', 'logs'],
      ['keys', 'list'],
      ['tokens', 'list'],
      ['usage'],
      ['memory', 'search', 'echo', 'tea'],
    ];
    for (const args of lists) expect([args, (await command(...args)).code]).toEqual([args, 0]);
  });

  test.each(['', '.', '..'])('takes "%s" for no id: it ends with 2, says so, and revokes no token', async (none) => {
    const { id } = await mesh.tokens.create({ name: 'other', scopes: ['runs:read'] });
    const commands = [
      ['tokens', 'revoke', none],
      ['runs', none],
      ['tail', none],
      ['sessions', 'get', 'echo', none],
      ['artifacts', 'get', 'echo', 'vic', none],
      ['webhooks', 'retrigger', none],
    ];
    for (const args of commands) {
      const { code, out, err } = await command(...args);
      const told = expect.stringContaining(`agentmesh: "${none}" cannot be the last part of /`);
      expect([args, code, out, err]).toEqual([args, 2, '', told]);
    }
    expect((await mesh.tokens.list().all()).map((it) => it.id)).toContain(id);
  });

  test('saves a key that is piped in, and never prints it', async () => {
    const saving = start(['keys', 'create', 'openai', 'work']);
    saving.child.stdin?.end('sk-test-0123456789abcdef\n');
    const { code, out, err } = await saving.ended;
    expect([code, out + err]).toEqual([0, expect.not.stringContaining('sk-test-0123456789')]);
    expect((await command('keys', 'list')).out).toMatch(/work +openai +cdef/);
  });

  test('exports the account into a file that only its owner can read, and asks for the password where a token does not do', async () => {
    const file = join(folder, 'export.ndjson');
    const done = await command('export', file);
    expect([done.code, done.out, done.err]).toEqual([0, '', expect.stringMatching(/^\d+ records, \d+ bytes\.\n$/)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kinds = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
    expect([kinds[0], kinds.at(-1)]).toEqual(['export', 'end']);
    expect((await command('export', file)).code).toBe(1);
    expect(readFileSync(file, 'utf8')).toContain('"kind":"end"');
    expect((await command('export')).out.split('\n').at(-2)).toContain('"kind":"end"');
    const { token: own } = await mesh.tokens.create({ name: 'export', scopes: ['account:read'] });
    const asked = await start(['export'], { AGENTMESH_TOKEN: own }).ended;
    expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('E-mail address')]);
  });

  test('says that a list is empty, on stderr', async () => {
    expect(await command('webhooks', 'list')).toEqual({ code: 0, out: '', err: 'There are none.\n' });
    expect((await command('webhooks', 'list', '--json')).out).toBe('[]\n');
  });

  test('prints the version of its package', async () => {
    expect(await command('--version')).toEqual({ code: 0, out: `${manifest.version}\n`, err: '' });
    expect((await command('--help')).out).toContain('agentmesh --version');
  });

  test('finds what is wrong with a server, and says what to type', async () => {
    const { out } = await command('doctor');
    expect(out).toMatch(/server +ok/);
    expect(out).toMatch(/sign-in +ok/);
    expect(out).toMatch(/services +ok/);
    expect(out).toMatch(/database +ok/);
    expect(out).toMatch(/versions +ok +command 0\.1\.0, server 0\.1\.0/);
    const unknown = await start(['doctor'], {}).ended;
    expect(unknown.out).toMatch(/sign-in +WRONG/);
    expect(unknown.out).not.toMatch(/^apps/m);
    const wrong = await start(['doctor'], { AGENTMESH_URL: 'http://127.0.0.1:9' }).ended;
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('AGENTMESH_URL')]);
  });

  test('makes a folder with an agent, and scripts for shells', async () => {
    expect((await command('init', 'support')).code).toBe(0);
    expect(readFileSync(join(folder, 'support/agents/support/root_agent.yaml'), 'utf8')).toContain('name: support');
    expect(existsSync(join(folder, 'support/agents/support_tools/tools.ts'))).toBe(true);
    expect((await command('init', 'support')).code).toBe(2);
    expect((await command('completion', 'bash')).out).toContain('complete -F _agentmesh agentmesh');
    expect((await command('completion', 'tcsh')).code).toBe(2);
  });
});
