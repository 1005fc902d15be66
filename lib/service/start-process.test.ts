import { expect, test } from 'vitest';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { type Bus, createPgBus, subjectOf } from '../bus/index.ts';
import { testDatabaseUrl } from '../pg/testing/index.ts';
import { createMesh, deriveIdentities } from '../rpc/index.ts';
import { asDeclared, freePorts, unserved } from '../rpc/testing/index.ts';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { defineService, startProcess } from './index.ts';

test('a sibling that goes away is named by /readyz and does not take the process out of service', async () => {
  const away = new Set(['sibling']);
  const check = (name: string) => async () => {
    if (away.has(name)) throw new Error(`${name} is away`);
  };
  const service = defineService({
    name: 'edge',
    settings: {},
    start: async () => ({ ready: { store: check('store') }, siblings: { sibling: check('sibling') } }),
  });
  await using database = await testDatabaseUrl();
  const [port] = await freePorts(1);
  const env = { DATABASE_URL: database.url, OPS_PORT: String(port), LOG_LEVEL: 'silent' };
  await using _process = await startProcess({ services: [service], words: ['edge'], env });
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, ((await response.json()) as { checks: object }).checks];
  };
  expect(await ask('/readyz/own')).toEqual([503, { bus: 'ok', 'edge.store': 'ok', 'edge.sibling': 'failed' }]);
  away.clear();
  expect(await ask('/readyz/own')).toEqual([200, { bus: 'ok', 'edge.store': 'ok', 'edge.sibling': 'ok' }]);
  away.add('sibling');
  expect(await ask('/readyz')).toEqual([503, { bus: 'ok', 'edge.store': 'ok', 'edge.sibling': 'failed' }]);
  expect(await ask('/readyz/own')).toEqual([200, { 'edge.store': 'ok' }]);
  away.add('store');
  expect(await ask('/readyz/own')).toEqual([503, { 'edge.store': 'failed' }]);
});

test('a sibling that a service calls and that has no address fails the start with the name of its setting', async () => {
  const gateway = defineService({
    name: 'gateway',
    settings: {},
    start: async ({ mesh }) => {
      for (const service of [AuthService, SessionsService, RunsService]) mesh.client(service);
      mesh.serve(RunsService, unserved(RunsService));
      return {};
    },
  });
  await using database = await testDatabaseUrl();
  const env = { DATABASE_URL: database.url, OPS_PORT: '0', LOG_LEVEL: 'silent', MESH_KEY: 'key' };
  const start = (own: object) =>
    startProcess({ services: [gateway], words: ['gateway', 'auth', 'sessions'], env: { ...env, ...own } });
  await expect(start({ MESH_SESSIONS_URL: 'http://127.0.0.1:1', MESH_AUTH_URL: ' ' })).rejects.toMatchObject({
    name: 'SettingsError',
    message: 'MESH_AUTH_URL is missing or blank: gateway calls auth, which does not run in this process',
  });
});

test('a database of one service that cannot be reached fails the start with the name of its setting, and the reason', async () => {
  const notes = defineService({
    name: 'notes',
    settings: {},
    database: { migrations: new URL('../idempotency/testing/', import.meta.url) },
    start: async (host) => {
      await host.openDatabase();
      return {};
    },
  });
  await using database = await testDatabaseUrl();
  const NOTES_DATABASE_URL = 'postgres://ada:hidden@127.0.0.1:1/notes';
  const env = { DATABASE_URL: database.url, NOTES_DATABASE_URL, OPS_PORT: '0', LOG_LEVEL: 'silent' };
  const reason = 'The database cannot be reached. connect ECONNREFUSED 127.0.0.1:1';
  await expect(startProcess({ services: [notes], words: ['notes'], env })).rejects.toMatchObject({
    name: 'SettingsError',
    message: `NOTES_DATABASE_URL names a server that cannot be used: ${reason}`,
  });
});

test('without identities, key pairs come from MESH_KEY, former ones are accepted, and an empty entry in their list admits nobody', async () => {
  const service = defineService({
    name: 'auth',
    settings: {},
    start: async ({ mesh }) => {
      mesh.serve(AuthService, unserved(AuthService));
      return {};
    },
  });
  await using database = await testDatabaseUrl();
  const keys = { MESH_KEY: 'new', MESH_KEY_PREVIOUS: 'old, ,older,' };
  const env = { DATABASE_URL: database.url, OPS_PORT: '0', MESH_PORT: '0', LOG_LEVEL: 'silent', ...keys };
  await using process = await startProcess({ services: [service], words: ['auth', 'gateway'], env });
  const codeFor = async (key: string): Promise<unknown> => {
    const log = createLogger({ level: 'silent', name: 'test' });
    const metrics = createMetrics({ processMetrics: false });
    const identities = deriveIdentities([key], ['gateway']);
    const urls = { auth: `http://127.0.0.1:${process.meshPort}` };
    await using node = createMesh({ urls, identities, log, metrics });
    return await asDeclared(node)
      .client(AuthService)
      .getAccount({})
      .catch((error: { code: string }) => error.code);
  };
  for (const key of ['new', 'old', 'older']) expect([key, await codeFor(key)]).toEqual([key, 'not_found']);
  for (const key of ['', ' ', 'other']) expect([key, await codeFor(key)]).toEqual([key, 'unavailable']);
});

test('a confidential hint is encrypted between processes that prove who they are', async () => {
  const heard: string[] = [];
  const buses: Bus[] = [];
  const service = defineService({
    name: 'runs',
    settings: {},
    start: async ({ bus }) => {
      await bus.subscribe(RunProgressedSchema, ({ owner }) => void heard.push(owner));
      buses.push(bus);
      return {};
    },
  });
  await using database = await testDatabaseUrl();
  const env = { DATABASE_URL: database.url, OPS_PORT: '0', MESH_PORT: '0', LOG_LEVEL: 'silent', MESH_KEY: 'key' };
  const options = { services: [service], words: ['runs', 'gateway'], env };
  await using _first = await startProcess(options);
  await using _second = await startProcess(options);
  await using stranger = await createPgBus({ url: database.url, log: createLogger({ level: 'silent', name: 'test' }) });
  const overheard: Buffer[] = [];
  await stranger.driver.subscribe(
    subjectOf(RunProgressedSchema),
    async (payload) => void overheard.push(Buffer.from(payload)),
  );
  await stranger.publish(RunProgressedSchema, { owner: 'forged' });
  await buses[0]?.publish(RunProgressedSchema, { owner: 'the owner' });
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual(['the owner', 'the owner']);
  await expect
    .poll(() => overheard.map((payload) => payload.includes('owner')), { timeout: 30_000 })
    .toEqual([false, false]);
});

test('a service that cannot finish its work keeps neither the others from finishing theirs, nor resources open', async () => {
  const done: string[] = [];
  const failing = defineService({
    name: 'failing',
    settings: {},
    start: async ({ resources }) => {
      resources.defer(() => void done.push('closed'));
      return { drain: () => Promise.reject(new Error('its database is away')) };
    },
  });
  const other = defineService({
    name: 'other',
    settings: {},
    start: async () => ({
      drain: async () => {
        await new Promise(setImmediate);
        done.push('drained');
      },
    }),
  });
  await using database = await testDatabaseUrl();
  const env = { DATABASE_URL: database.url, OPS_PORT: '0', LOG_LEVEL: 'silent' };
  const process = await startProcess({ services: [failing, other], words: ['failing', 'other'], env });
  await process[Symbol.asyncDispose]();
  expect(done).toEqual(['drained', 'closed']);
});
