import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentMesh } from '@agentmesh/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { type Ended, startCommand } from './start-command.ts';

const url = inject('meshUrl');
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-lists-'));
let token: string;
let mesh: AgentMesh;

beforeAll(async () => {
  token = (await newAccount(url)).token ?? '';
  mesh = new AgentMesh({ url, token });
});
afterAll(() => rmSync(folder, { recursive: true }));

const command = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  startCommand(folder, args, { AGENTMESH_TOKEN: token, ...env }).ended;

const idsOf = ({ out }: Ended): string[] => (JSON.parse(out) as { id: string }[]).map(({ id }) => id);

describe('agentmesh sessions list', () => {
  test('lists as many as --limit names, newest first, and says where there are more', async () => {
    const place = { app: 'echo', user: 'many' };
    for (let made = 0; made < 3; made += 1) await mesh.sessions.create(place, { sessionId: `s${made}` });
    const list = ['sessions', 'list', 'echo', '--user', 'many', '--json', '--limit'];
    const two = await command([...list, '2']);
    expect([idsOf(two), two.err]).toEqual([['s2', 's1'], 'There are more: type a larger --limit.\n']);
    const all = await command([...list, '1000']);
    expect([idsOf(all), all.err]).toEqual([['s2', 's1', 's0'], '']);
  });
});

describe('a list of runs whose filter matches nothing', () => {
  let server: Server;
  let asked = 0;

  beforeAll(async () => {
    // The pages of a large account, of which none has a run of the session.
    server = createServer((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/json', 'x-next-cursor': String(asked) }).end('[]');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  test.each([['runs'], ['tail']])('is not read to its end by %s, which says so', async (verb) => {
    asked = 0;
    const { port } = server.address() as AddressInfo;
    const { err } = await command([verb, '--session', 's1'], { AGENTMESH_URL: `http://127.0.0.1:${port}` });
    expect(err).toContain('Not all runs were looked through');
    expect(err).toContain('--app <app> --user <id> --session');
    expect(asked).toBeLessThan(20);
  });
});
