import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../deployed-settings.ts';
import { hasPython, installPython } from '../python-client.ts';
import { runShell } from './run-shell.ts';
import { type ConsumerMesh, startConsumerMesh } from './consumer-mesh.ts';
import { chapterOf } from './page.ts';

const folder = mkdtempSync(join(tmpdir(), 'consumers-'));
let started: ConsumerMesh;

beforeAll(async () => {
  symlinkSync(join(root, 'proto'), join(folder, 'proto'));
  started = await startConsumerMesh();
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test.skipIf(!hasPython)(
  'the Python program of docs/consumers.md reads its account and no other, is counted, and is in the audit',
  async () => {
    const { account, address, identity, mesh, opsUrl } = started;
    const { commands, answer } = chapterOf('grpc_tools', folder, address);
    const [install = '', ...rest] = commands.split('\n');
    const packages = install.replace('pip install ', '').replaceAll("'", '').split(' ');
    const python = await installPython(join(folder, 'venv'), ...packages);
    const env = {
      PATH: `${join(python, '..')}${delimiter}${process.env.PATH}`,
      ORDERS_MESH_IDENTITY: identity,
      ACCOUNT: account,
    };
    expect(await runShell(rest.join('\n'), folder, env)).toContain(answer);
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    const counted = (code: string) =>
      `agentmesh_consumer_calls_total{consumer="orders",service="sessions",method="ListSessions",code="${code}"} 1`;
    expect(metrics).toContain(counted('ok'));
    expect(metrics).toContain(counted('permission_denied'));
    const audit = mesh.lines.filter((line) => line.includes('"audit":true')).map((line) => JSON.parse(line) as object);
    const call = { msg: 'call of a consumer', consumer: 'orders', rpc: 'sessions.ListSessions' };
    expect(audit).toMatchObject([
      { ...call, accounts: [account], code: 'ok' },
      { ...call, accounts: ['00000000-0000-4000-8000-000000000000'], code: 'permission_denied' },
    ]);
  },
  300_000,
);
