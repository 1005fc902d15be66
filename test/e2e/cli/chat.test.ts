import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentMesh } from '@agentmesh/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { hasPython } from '../../python-client.ts';
import { startInTerminal } from './start-command.ts';

const url = inject('meshUrl');
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-chat-'));
let token: string;

beforeAll(async () => {
  token = (await newAccount(url)).token ?? '';
});
afterAll(() => rmSync(folder, { recursive: true }));

const chat = (input?: string) =>
  startInTerminal(folder, ['chat', 'echo'], { env: { AGENTMESH_TOKEN: token }, ...(input !== undefined && { input }) });

describe.skipIf(!hasPython)('agentmesh chat in a terminal', () => {
  test('leaves a run at Ctrl-C, hears it no more, and goes on with the next line; a second one at the prompt ends it', async () => {
    const { child, written, ended } = chat();
    await expect.poll(() => written.out).toContain('> ');
    child.stdin?.write('begin [[wait:4000]] end\r');
    await expect.poll(() => written.out).toContain('\nbegin ');
    child.stdin?.write('\u0003');
    await expect.poll(() => written.out).toMatch(/agentmesh tail \S+\s[^]*> /);
    const [, id = ''] = /agentmesh tail (\S+)/.exec(written.out) ?? [];
    const mesh = new AgentMesh({ url, token });
    await expect.poll(async () => (await mesh.runs.get(id)).status).toBe('completed');
    child.stdin?.write('another\r');
    await expect.poll(() => written.out).toMatch(/\nanother\r\n[^]*> /);
    child.stdin?.write('\u0003');
    expect((await ended).code).toBe(0);
    expect(written.out.slice(written.out.indexOf('Watch'))).not.toContain('end');
  });

  test('reads all lines of a file', async () => {
    const file = join(folder, 'lines');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const { code, out } = await chat(file).ended;
    expect([code, out]).toEqual([0, expect.stringMatching(/\none\r\ntwo\r\nthree\r\n$/)]);
  });
});
