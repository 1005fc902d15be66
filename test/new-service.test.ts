import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import type { DescMessage, DescMethodUnary, DescService } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller, newAccount } from './caller.ts';
import { root } from './deployed-settings.ts';
import { dumpTables } from './dump-tables.ts';
import { startMesh } from './mesh.ts';
import { callGrpc } from './new-service/call-grpc.ts';
import { copySources, linkPackages } from './new-service/copy-repository.ts';
import { applyEdit, readPageEdits } from './new-service/page-edits.ts';

const bin = (name: string) => join('node_modules', '.bin', name);
const checksOfServices = ['boundaries', 'boundaries/rooms', 'compose', 'deploy', 'documentation'].map(
  (name) => `test/${name}.test.ts`,
);

/** The pages that add the service, in the order in which they are read. */
const pages = ['', '-storage', '-calls', '-mesh'].map((part) => `adding-a-service${part}.md`);

let resources: AsyncDisposableStack;
/** A copy of the repository with the service of the page. */
let folder: string;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), 'new-service-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  await copySources(root, folder);
  for (const page of pages) {
    for (const edit of readPageEdits(join(root, 'docs', page))) await applyEdit(folder, edit);
  }
  await linkPackages(root, folder);
  const failure = await run(process.execPath, 'scripts/generate.ts');
  if (failure !== '') throw new Error(failure);
});

afterAll(() => resources.disposeAsync());

/** Runs a program in the copy. Resolves with its output when it fails, and with an empty text when it succeeds. */
function run(file: string, ...args: string[]): Promise<string> {
  // The bundle is that of this repository, which has no such service.
  const { AGENT_MESH_BUNDLE: _, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1', PATH: `${join(folder, 'node_modules', '.bin')}:${process.env.PATH}` };
  const child = spawn(resolve(folder, file), args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve(code === 0 ? '' : `${file} ended with ${code}: ${Buffer.concat(output).toString()}`),
    );
  });
}

/** A method of the contract that the page describes. It is generated in the copy, so its types are not known here. */
async function methodOf(name: string): Promise<DescMethodUnary<DescMessage, DescMessage>> {
  const generated = (await import(join(folder, 'proto/gen/agentmesh/notes/v1/notes_pb.js'))) as {
    NotesService: DescService;
  };
  return generated.NotesService.method[name] as DescMethodUnary<DescMessage, DescMessage>;
}

describe('the service that docs/adding-a-service.md and the pages behind it add', { timeout: 240_000 }, () => {
  test('passes the checks of types, format and contract of `npm run check`', async () => {
    expect(await run(bin('tsc'), '--build', 'services/notes', 'services/auth', 'gateway')).toBe('');
    expect(await run(bin('biome'), 'ci', 'services/notes', 'gateway/src', 'main.ts')).toBe('');
    expect(await run(bin('buf'), 'lint')).toBe('');
  });

  test('passes its own test and the tests that check every service', async () => {
    // Skips tests that the page cannot break: the settings of a process for each service, and the lengths of other files.
    const ofPage = '^(?!.*(each process pass its check|no file is longer))';
    const options = ['--project=parts', '--maxWorkers=1', '--testTimeout=120000', `--testNamePattern=${ofPage}`];
    expect(await run(bin('vitest'), 'run', ...options, 'services/notes', ...checksOfServices)).toBe('');
  });

  test('answers over HTTP and over gRPC, and erases a deleted account', async () => {
    const key = 'a mesh key that is used by this test only';
    const [meshPort] = await freePorts(1);
    await using database = await testDatabaseUrl();
    const env = { MESH_KEY: key, MESH_PORT: String(meshPort) };
    await using mesh = await startMesh({ mode: 'all', root: folder, databaseUrl: database.url, env });
    const rows = async () => (await dumpTables(database.url)).filter((line) => line.startsWith('notes.notes '));

    const caller = await newAccount(mesh.url);
    const created = await caller.request('POST', '/api/notes', { text: 'buy milk' });
    expect([created.status, created.body]).toEqual([201, expect.objectContaining({ text: 'buy milk' })]);
    expect((await caller.request('POST', '/api/notes', { text: ' ' })).status).toBe(400);
    expect((await new Caller(mesh.url).request('POST', '/api/notes', { text: 'x' })).status).toBe(401);

    const [row = ''] = await rows();
    const { account_id: accountId } = JSON.parse(row.slice('notes.notes '.length)) as { account_id: string };
    const callee = { address: `127.0.0.1:${meshPort}`, key };
    const list = await callGrpc(callee, await methodOf('listNotes'), { accountId });
    expect(list).toMatchObject({ notes: [{ id: created.body.id, text: 'buy milk' }], nextAfterPlace: 0n });

    const { body: me } = await caller.request<{ user_id: number }>('GET', '/api/users/me');
    const removed = await caller.fetch('DELETE', `/api/users/${me.user_id}`);
    const receipt = async () => (await caller.request('GET', removed.headers.get('location') ?? '')).body;
    await expect.poll(receipt, { timeout: 60_000 }).toMatchObject({ status: 'complete' });
    expect(await receipt()).toMatchObject({
      services: expect.arrayContaining([
        expect.objectContaining({ service: 'notes', counts: { notes: 1 } }),
      ]) as unknown,
    });
    expect(await rows()).toEqual([]);
  });
});
