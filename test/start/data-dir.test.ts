import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encryptKey, startMesh } from '../mesh.ts';
import { root, runMain } from './run-main.ts';
import { mainOfProduct, plainEnvironment } from '../plain-environment.ts';

const isRoot = process.getuid?.() === 0;
/** A user that owns no file here. */
const stranger = { uid: 23_456, gid: 23_456 };
let opened: AsyncDisposableStack;
let folder: string;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), 'data-dir-'));
  opened.defer(() => rm(folder, { recursive: true }));
  await chmod(folder, 0o711);
});

afterEach(() => opened.disposeAsync());

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

/** Starts everything on the embedded PostgreSQL, as another user if one is given, and stops it when it is ready. */
async function startAndStop(dataDir: string, account: typeof stranger | object = {}): Promise<string[]> {
  const env = { ...plainEnvironment, ENCRYPT_KEY: encryptKey, DATA_DIR: dataDir, PORT: '0', OPS_PORT: '0' };
  const child = spawn(process.execPath, [mainOfProduct, 'all'], { cwd: root, env, ...account });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (line.includes('"msg":"ready"')) child.kill('SIGTERM');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, lines.filter((line) => !line.startsWith('{'))]).toEqual([0, []]);
  return lines;
}

describe('DATA_DIR', { timeout: 90_000 }, () => {
  test('is created with access only for this user, and its PostgreSQL works in it, also after a restart', async () => {
    const dataDir = join(folder, 'new');
    for (const _ of [1, 2]) {
      const lines = await startAndStop(dataDir);
      expect(lines.join('\n')).not.toMatch(/is open to other users|are kept elsewhere/);
      // PostgreSQL does not run as root: its user gets access by the group.
      expect(await modeOf(dataDir)).toBe(isRoot ? '710' : '700');
      expect((await stat(join(dataDir, 'postgres/data/PG_VERSION'))).isFile()).toBe(true);
    }
    if (!isRoot) return;
    expect(await stat(dataDir)).toMatchObject({ uid: 0, gid: (await stat(join(dataDir, 'postgres/data'))).gid });
    expect(spawnSync('ls', [dataDir], stranger).status).not.toBe(0);
    expect(spawnSync('ls', [join(dataDir, 'postgres')], stranger).status).not.toBe(0);
  });

  test('of a user who is not root has mode 0700', async () => {
    if (!isRoot) return; // The test above has shown it.
    // initdb runs only as a user that the system knows.
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, 'nobody']).stdout.toString()));
    const user = { uid: uid as number, gid: gid as number };
    const isReadable = spawnSync('test', ['-r', join(root, 'main.ts')], user).status === 0;
    if (!isReadable) {
      process.stderr.write('NOT CHECKED: other users cannot read this checkout, so none can start it\n');
      return;
    }
    const home = join(folder, 'home');
    await mkdir(home);
    await chown(home, user.uid, user.gid);
    await startAndStop(join(home, 'new'), user);
    expect(await modeOf(join(home, 'new'))).toBe('700');
  });

  test.each(['/dev/null/data', '/dev/null'])('%s, which cannot be used, is told in one sentence', async (dataDir) => {
    const { code, output } = await runMain(['all'], {
      ENCRYPT_KEY: encryptKey,
      DATA_DIR: dataDir,
      PORT: '0',
      OPS_PORT: '0',
    });
    const plain = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(plain).toEqual([
      `DATA_DIR: ${dataDir} cannot be used: a part of its path is no folder. Let this process write there, or name another folder.`,
    ]);
    expect(code).toBe(1);
  });

  test('whose files PostgreSQL cannot use is named with the last words of PostgreSQL, without a stack', async () => {
    const dataDir = join(folder, 'old');
    await mkdir(join(dataDir, 'postgres', 'data'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '9.1\n');
    const env = { ENCRYPT_KEY: encryptKey, DATA_DIR: dataDir, PORT: '0', OPS_PORT: '0' };
    const { code, output } = await runMain(['all'], env);
    expect(output).toContain(`DATA_DIR ${dataDir} cannot be used by PostgreSQL: `);
    expect(output).toContain('Mend that. In another folder begins an empty mesh.');
    expect(output).not.toMatch(/^ +at /m);
    expect(code).toBe(1);
  });

  test('that is open to others keeps its mode, and a warning names it', async () => {
    const database = opened.use(await testDatabaseUrl());
    await chmod(folder, 0o755);
    const mesh = await startMesh({ mode: 'all', databaseUrl: database.url, env: { DATA_DIR: folder } });
    await mesh[Symbol.asyncDispose]();
    const warning = () => mesh.lines.find((line) => line.includes('DATA_DIR is open to other users'));
    await expect.poll(warning).toBeDefined();
    expect(JSON.parse(warning() ?? '{}')).toMatchObject({ level: 'warn', dataDir: folder, mode: '0755' });
    expect(await modeOf(folder)).toBe('755');
  });
});
