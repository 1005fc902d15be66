import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { bundle, stampOf } from '../../scripts/bundle.mjs';
import { newAccount } from '../caller.ts';
import { agentsDir, startMesh } from '../mesh.ts';

const folder = await mkdtemp(join(tmpdir(), 'bundle-'));
afterAll(() => rm(folder, { recursive: true }));

const agent = `import { FunctionTool, LlmAgent } from '@google/adk';
const name = new FunctionTool({ name: 'name', description: 'Names the program.', execute: () => ({ program: process.argv[1] }) });
export const rootAgent = new LlmAgent({ name: 'coded', model: 'echo/echo', tools: [name] });
`;

test('the bundle finds what lies beside the sources: PostgreSQL, migrations, pages, packages and the worker of code', async () => {
  const built = (await bundle()) ?? expect.fail('nothing is bundled');
  const program = join(built, 'main.mjs');
  const apps = join(folder, 'agents');
  await cp(agentsDir, apps, { recursive: true });
  await mkdir(join(apps, 'coded'));
  await writeFile(join(apps, 'coded', 'agent.ts'), agent);
  await using mesh = await startMesh({ mode: 'all', program, env: { AGENTS_DIR: apps, ADK_WEB_UI: 'true' } });
  const caller = await newAccount(mesh.url);
  const answer = await caller.run(await caller.createSession('coded'), '[[tool:name {}]]');
  expect(JSON.stringify(answer.body)).toContain(join(built, 'worker', 'start.mjs'));
  const common = { email: 'eve@example.com', password: 'password123', first_name: 'E', last_name: 'V' };
  expect((await caller.request('POST', '/api/users/', common)).status).not.toBe(201);
  for (const path of ['/console/', '/docs/static/swagger-ui.css', '/dev-ui/', '/openapi.json', '/version'])
    expect([path, (await caller.fetch('GET', path)).status]).toEqual([path, 200]);
  expect(mesh.lines.filter((line) => line.includes('Warning'))).toEqual([]);
}, 120_000);

test('a change of a source, a contract, a package or a patch needs another bundle, and one of a test does not', async () => {
  const put = async (file: string, text: string): Promise<string> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
    return stampOf(folder);
  };
  const bundled = ['main.ts', 'lib/pg/a.ts', 'gateway/src/b.ts', 'services/keys/src/c.ts', 'proto/gen/d_pb.js'];
  const others = [
    'lib/package.json',
    'pnpm-lock.yaml',
    'patches/e.patch',
    'scripts/bundle.mjs',
    'scripts/bundling/f.mjs',
    'scripts/dev.ts',
  ];
  await put('main.ts', '');
  for (const file of [...bundled, ...others]) {
    const before = await put(file, 'before');
    expect([file, await put(file, 'after')]).not.toEqual([file, before]);
    expect([file, await put(file, 'before')]).toEqual([file, before]);
  }
  const before = stampOf(folder);
  for (const file of ['lib/pg/a.test.ts', 'lib/pg/testing/f.ts', 'services/keys/test/g.ts', 'docs/h.md'])
    expect([file, await put(file, '')]).toEqual([file, before]);
});
