import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { describe, expect, test } from 'vitest';
import { addresses, calls, complaint, words } from '../deployed-settings.ts';
import { encryptKey } from '../mesh.ts';
import { occupy, root, runMain } from './run-main.ts';
import { mainOfProduct, plainEnvironment } from '../plain-environment.ts';

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}

describe('main.ts', { timeout: 60_000 }, () => {
  test.each([
    ['missing', {}],
    ['empty', { ENCRYPT_KEY: '' }],
    ['blank', { ENCRYPT_KEY: '  \t ' }],
  ])('with ENCRYPT_KEY %s names it, points to `npm run dev`, and listens nowhere', async (_, env) => {
    const [port] = await freePorts(1);
    const { code, output } = await runMain(['all'], { ...env, PORT: String(port), OPS_PORT: '0' });
    expect(code).not.toBe(0);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain('ENCRYPT_KEY');
    expect(output).toContain('npm run dev');
    expect(await isListening(port as number)).toBe(false);
  });

  test('names every bad setting at once', async () => {
    const told = await complaint(['all'], { PORT: 'eighty', LOG_LEVEL: 'loud', SESSIONS_LEASE_SECONDS: '-1' });
    for (const name of ['PORT', 'LOG_LEVEL', 'SESSIONS_LEASE_SECONDS', 'ENCRYPT_KEY']) expect(told).toContain(name);
  });

  test('checks the settings of every target without starting it', async () => {
    const good = { ENCRYPT_KEY: encryptKey, MESH_KEY: 'm'.repeat(32), ...addresses };
    for (const target of ['all', 'sessions'])
      expect(await runMain([target, '--check'], good)).toEqual({ code: 0, output: 'settings are good\n' });
    for (const target of ['auth', 'runs', 'gateway']) expect(await complaint([target], good)).toBe('');
  });

  test('warns of a short key also when it only checks the settings', async () => {
    const { code, output } = await runMain(['all', '--check'], { ENCRYPT_KEY: 'a short key' });
    expect(code).toBe(0);
    expect(output).toContain('warning: ENCRYPT_KEY is shorter than 32 bytes');
    expect(output).toMatch(/^settings are good$/m);
    expect(output).not.toContain('a short key');
  });

  test.each(words)(
    'names each service that %s calls and has no address of, also when it only checks the settings',
    async (word) => {
      const grant = { keys: ['A'.repeat(43)], methods: ['sessions.GetSession'], accounts: ['*'] };
      const keys = {
        ENCRYPT_KEY: encryptKey,
        MESH_KEY: 'm'.repeat(32),
        MESH_CONSUMERS: JSON.stringify({ orders: grant }),
      };
      const called = calls.flatMap(([caller, name]) => (caller === word ? [`MESH_${name.toUpperCase()}_URL`] : []));
      const told = (await complaint([word], keys)).split('\n').filter((line) => line !== '');
      expect(told.map((line) => line.split(' ')[0] ?? '').toSorted()).toEqual(called.toSorted());
    },
  );

  test('names a malformed address of a service also when it only checks the settings', async () => {
    const bad = { MESH_KEY: 'm'.repeat(32), MESH_AUTH_URL: 'http:/127.0.0.1:9101', MESH_ARTIFACTS_URL: 'artifacts:x' };
    const told = await complaint(['sessions'], bad);
    expect(told.split('\n').map((line) => line.split(' ')[0])).toEqual(['MESH_AUTH_URL', 'MESH_ARTIFACTS_URL']);
  });

  test('requires an identity of every separate process, and ENCRYPT_KEY only of those that need it', async () => {
    expect(await complaint(['sessions'], {})).toContain('MESH_IDENTITY is missing');
    expect(await complaint(['runs'], { MESH_KEY: 'm'.repeat(32), ...addresses })).toBe('');
    expect(await complaint(['gateway'], { MESH_KEY: 'm'.repeat(32) })).toContain('ENCRYPT_KEY');
  });

  test('takes the identities that it prints, each process its own, and names what is wrong with them', async () => {
    const { output } = await runMain(['identities', 'runs', 'sessions'], {});
    const lines = Object.fromEntries(
      output
        .trim()
        .split('\n')
        .map((line) => line.split('=', 2)),
    );
    const { MESH_IDENTITIES, RUNS_MESH_IDENTITY, SESSIONS_MESH_IDENTITY } = lines;
    const check = (env: Record<string, string>) => complaint(['runs'], { MESH_IDENTITIES, ...addresses, ...env });
    expect(await check({ MESH_IDENTITY: RUNS_MESH_IDENTITY })).toBe('');
    expect(await check({ MESH_IDENTITY: SESSIONS_MESH_IDENTITY })).toContain('has no key of runs');
    const { output: others } = await runMain(['identities', 'runs'], {});
    const stale = /^RUNS_MESH_IDENTITY=(.*)$/m.exec(others)?.[1] ?? '';
    expect(await check({ MESH_IDENTITY: stale })).toContain('MESH_IDENTITIES lacks the public key of runs');
    const garbled = await check({ MESH_IDENTITY: 'runs:not a key' });
    expect(garbled).toMatch(/^MESH_IDENTITY must be service:key/);
    expect(garbled).not.toContain('not a key');
  });

  test('in production refuses MESH_KEY, with which every process could act as every service', async () => {
    const told = await complaint(['runs'], { NODE_ENV: 'production', MESH_KEY: 'm'.repeat(32) });
    expect(told).toContain('MESH_KEY lets every process act as every service');
  });

  test('in production refuses a short key and an open runtime', async () => {
    const production = { NODE_ENV: 'production' };
    const short = await runMain(['all', '--check'], { ...production, ENCRYPT_KEY: 'short' });
    expect(short).toMatchObject({ code: 1, output: expect.stringContaining('ENCRYPT_KEY') });
    const open = { ...production, ENCRYPT_KEY: encryptKey, RUNTIME_AUTH: 'open' };
    expect(await runMain(['all', '--check'], open)).toMatchObject({
      code: 1,
      output: expect.stringContaining('RUNTIME_AUTH'),
    });
  });

  test.each([
    ['PORT', 'all'],
    ['OPS_PORT', 'all'],
    ['MESH_PORT', 'sessions'],
    ['MESH_PORT', 'all'],
  ])('names %s in one line and ends when its port is in use by another program (%s)', async (setting, target) => {
    await using database = await testDatabaseUrl();
    await using busy = await occupy(0);
    const others = { DATABASE_URL: database.url, PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' };
    const keys = { ENCRYPT_KEY: encryptKey, MESH_KEY: 'm'.repeat(32), ...addresses };
    const { code, output } = await runMain([target], { ...others, ...keys, [setting]: String(busy.port) });
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toEqual([
      `${setting}: 127.0.0.1:${busy.port} is already in use. ` +
        `Stop the program that listens there, or set another ${setting}.`,
    ]);
  });

  test('names DATABASE_URL in one line when it is no address, or nothing answers there', async () => {
    const bad = await runMain(['all', '--check'], { ENCRYPT_KEY: encryptKey, DATABASE_URL: 'db.internal', PORT: 'x' });
    expect(bad.output.trim().split('\n')).toEqual([
      'DATABASE_URL must be a postgres:// address',
      'PORT must be a port from 0 to 65535',
    ]);
    const DATABASE_URL = 'postgres://ada:hidden@127.0.0.1:1/mesh';
    const others = { MESH_KEY: 'm'.repeat(32), ...addresses, OPS_PORT: '0', LOG_LEVEL: 'silent' };
    const { code, output } = await runMain(['sessions'], { ...others, DATABASE_URL });
    const reason = 'The bus cannot be reached. connect ECONNREFUSED 127.0.0.1:1';
    expect([code, output.trim()]).toEqual([1, `DATABASE_URL names a server that cannot be used: ${reason}`]);
  });

  test.each(['migrate', 'verify-restore'])(
    'names DATABASE_URL in one line when %s finds nothing there',
    async (command) => {
      const DATABASE_URL = 'postgres://ada:hidden@127.0.0.1:1/mesh';
      const { code, output } = await runMain([command], { DATABASE_URL, LOG_LEVEL: 'silent' });
      const reason = 'The database cannot be reached. connect ECONNREFUSED 127.0.0.1:1';
      expect([code, output.trim()]).toEqual([1, `DATABASE_URL names a server that cannot be used: ${reason}`]);
    },
  );

  test('names each service that it calls and has no address of, and ends', async () => {
    await using database = await testDatabaseUrl();
    const others = { DATABASE_URL: database.url, MESH_KEY: 'm'.repeat(32), OPS_PORT: '0', LOG_LEVEL: 'silent' };
    const { code, output } = await runMain(['sessions'], others);
    const problem = (called: string) =>
      `MESH_${called.toUpperCase()}_URL is missing or blank: sessions calls ${called}, which does not run in this process`;
    expect([code, output.trim().split('\n').toSorted()]).toEqual([1, [problem('artifacts'), problem('auth')]]);
  });

  test('stops its PostgreSQL when it cannot listen', async () => {
    await using busy = await occupy(0);
    const folder = await mkdtemp(join(tmpdir(), 'mesh-'));
    await chmod(folder, 0o711);
    const dataDir = join(folder, 'data');
    const env = { ENCRYPT_KEY: encryptKey, DATA_DIR: dataDir, PORT: String(busy.port), OPS_PORT: '0' };
    expect(await runMain(['all'], env)).toMatchObject({ code: 1 });
    await access(join(dataDir, 'postgres/data/PG_VERSION'));
    await expect(access(join(dataDir, 'postgres/data/postmaster.pid'))).rejects.toThrow('ENOENT');
    await rm(folder, { recursive: true });
  });

  test('names the missing half of settings that only work together', async () => {
    const halves = { SMTP_URL: 'smtp://127.0.0.1:2525', MESH_TLS_CERT: '/tls.crt', MESH_TLS_KEY: '/tls.key' };
    const told = await complaint(['auth'], { ENCRYPT_KEY: encryptKey, ...halves });
    for (const name of ['MAIL_FROM', 'MESH_TLS_CA', 'MESH_IDENTITY']) expect(told).toContain(`${name} is missing`);
  });

  test.each<[string, NodeJS.Signals[]]>([
    // Two signals of the same kind at once would be merged by the kernel.
    ['one request to stop comes as two signals', ['SIGTERM', 'SIGINT']],
    ['its terminal is closed', ['SIGHUP']],
    ['code of an app has asked for a debugger', ['SIGUSR1', 'SIGTERM']],
  ])('stops gracefully when %s', async (_, signals) => {
    await using database = await testDatabaseUrl();
    const settings = { DATABASE_URL: database.url, MESH_KEY: 'm'.repeat(32), MESH_PORT: '0', OPS_PORT: '0' };
    const env = { ...plainEnvironment, ...settings, ...addresses };
    const child = spawn(process.execPath, [mainOfProduct, 'sessions'], { cwd: root, env });
    const lines: string[] = [];
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const ready = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push((JSON.parse(line) as { msg: string }).msg);
      if (lines.at(-1) === 'ready') ready.resolve();
    });
    await ready.promise;
    for (const signal of signals) child.kill(signal);
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(lines.at(-1)).toBe('stopping');
    expect(Buffer.concat(errors).toString()).not.toContain('Debugger');
  });

  test('refuses an unknown service name', async () => {
    const { code, output } = await runMain(['everything'], {});
    expect(code).toBe(1);
    expect(output).toContain('unknown service: everything');
  });
});
