import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startService } from './start-service.ts';

const accountId = randomUUID();
let parent: string;
let folder: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'apps-'));
  folder = join(parent, 'shop');
  await mkdir(join(folder, 'other'), { recursive: true });
  await mkdir(join(parent, 'sibling'));
  for (const path of ['other', '../sibling']) await write(`${path}/root_agent.yaml`, 'other');
});
afterEach(() => rm(parent, { recursive: true }));

const write = (path: string, name: string) =>
  writeFile(join(folder, path), `name: ${name}\nmodel: echo/default\ndescription: The ${name}.\n`);
const start = (apps = '') => startService({ env: { AGENTS_DIR: folder, RUNS_APPS: apps } });

describe('ADK’s own test cases of an AGENTS_DIR that is one app', () => {
  test('test_single_agent_mode_detection', async () => {
    await write('root_agent.yaml', 'clerk');
    await using service = await start();
    const list = async () => (await service.client.listApps({ accountId })).apps;
    expect(await list()).toMatchObject([{ name: 'shop', rootAgentName: 'clerk' }]);
    // A saved file counts, and the folders beside it do not.
    await write('root_agent.yaml', 'seller');
    await vi.waitFor(async () => expect(await list()).toMatchObject([{ name: 'shop', rootAgentName: 'seller' }]));
  });
});

test('an app in code may be AGENTS_DIR itself, and without a root file its folders are the apps', async () => {
  await writeFile(join(folder, 'agent.js'), 'export const rootAgent = ;\n');
  await using code = await start();
  const { apps, brokenApps } = await code.client.listApps({ accountId });
  expect([apps, brokenApps.map(({ name }) => name)]).toEqual([[], ['shop']]);
  await rm(join(folder, 'agent.js'));
  await using folders = await start();
  expect((await folders.client.listApps({ accountId })).apps.map(({ name }) => name)).toEqual(['other']);
});
