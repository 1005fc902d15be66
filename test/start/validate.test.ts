import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root, runMain } from './run-main.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-'));
  const write = async (app: string, text: string): Promise<void> => {
    await mkdir(join(folder, app));
    await writeFile(join(folder, app, 'root_agent.yaml'), text);
  };
  await write('good', 'name: good\nmodel: echo/echo\n');
  await write('bad', 'name: bad\nmodel: echo/echo\ntools:\n  - http_gett\n  - name: MCPToolset\n    args: {}\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('validate prints every mistake of a folder of apps with file, line and column', async () => {
  const { code, output } = await runMain(['validate', folder], {});
  expect(code).toBe(1);
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^bad\/root_agent\.yaml:4:5: tools\.0\.name: "http_gett" is not allowed\. Did you mean "http_get"/,
    ),
    expect.stringMatching(/^bad\/root_agent\.yaml:6:5: tools\.1\.args: must have exactly one of/),
  ]);
});

test('validate of an app without mistakes says so, and needs no settings', async () => {
  expect(await runMain(['validate', join(folder, 'good')], {})).toEqual({ code: 0, output: 'good: good\n' });
  const samples = await runMain(['validate', join(root, 'agents')], {});
  expect(samples).toMatchObject({ code: 0, output: expect.stringContaining('echo') });
});

test('validate checks the folders that the server serves, links among them, and no others', async () => {
  const apps = join(folder, '.apps');
  for (const name of ['node_modules/some', '__pycache__']) await mkdir(join(apps, name), { recursive: true });
  for (const name of ['good', 'bad']) await symlink(join(folder, name), join(apps, name));
  const { code, output } = await runMain(['validate', apps], {});
  expect([
    code,
    output
      .trim()
      .split('\n')
      .map((line) => line.split(':')[0]),
  ]).toEqual([1, ['bad/root_agent.yaml', 'bad/root_agent.yaml']]);
  await rm(join(apps, 'bad'));
  expect(await runMain(['validate', apps], {})).toEqual({ code: 0, output: 'good: good\n' });
});

test('validate of a folder that is not there, and without a folder, says so', async () => {
  const { code, output } = await runMain(['validate', join(folder, 'none')], {});
  expect([code, output]).toEqual([1, expect.stringContaining('cannot be read (ENOENT)')]);
  expect(await runMain(['validate'], {})).toMatchObject({ code: 1, output: expect.stringContaining('usage:') });
});
