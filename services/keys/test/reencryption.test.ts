import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { KeyKind } from '@agentmesh/proto/keys/v1/saved_keys';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTokenVault } from '../src/integrations/token-vault.ts';
import { encryptKey, openKeys, type TestKeys } from './open-keys.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const nextKey = 'the next encrypt key, which only these tests use';
const kind = KeyKind.SAVED;

let keys: TestKeys;
beforeEach(async () => {
  keys = await openKeys();
});
afterEach(() => keys[Symbol.asyncDispose]());

/** Runs the command as the operator does. */
async function run(env: Record<string, string>, services = ['keys']) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ['main.ts', ...services, '--reencrypt'], {
    cwd: root,
    env: { PATH, NODE_COMPILE_CACHE, DATABASE_URL: keys.databaseUrl, LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, lines: output.trim().split('\n'), errors };
}

const headers = (table: number, done: number, lost: number) =>
  `${['agents', 'agent_versions'][table]}.fields: headers encrypted again: ${done}; cannot be opened, must be entered again: ${lost}`;
const secrets = (done: number, lost: number) =>
  `run_webhooks.secret: encrypted again: ${done}; cannot be opened: ${lost}`;

/** Runs a statement in the schema of another service, which its command has made. */
async function rowsOf(service: string, text: string) {
  const migrations = new URL(`../../${service}/migrations/`, import.meta.url);
  const log = createLogger({ level: 'silent', name: 'test' });
  await using db = await openDatabase({ service, url: keys.databaseUrl, poolSize: 1, migrations }, log);
  return await db.query({ text });
}

const rotation = { ENCRYPT_KEY: nextKey, ENCRYPT_KEY_PREVIOUS: encryptKey };

async function createKeys(count: number): Promise<string> {
  const accountId = randomUUID();
  for (let key = 0; key < count; key += 1) {
    await keys.savedKeys.createKey({
      accountId,
      kind,
      name: `k${key}`,
      provider: '',
      secret: `sk-secret-number-${key}`,
    });
  }
  return accountId;
}

/** Returns the keys as a keys service with only `key` lists them. */
async function seenWith(accountId: string, key: string) {
  await using service = await openKeys({ DATABASE_URL: keys.databaseUrl, ENCRYPT_KEY: key });
  const { keys: listed } = await service.savedKeys.listKeys({ accountId, kind });
  return listed.map(({ lastFour, needsReentry }) => (needsReentry ? 'lost' : lastFour));
}

describe('npm start -- keys --reencrypt', { timeout: 60_000 }, () => {
  test('encrypts everything under the new key, tells its progress, and finds nothing to do the second time', async () => {
    const accountId = await createKeys(3);
    const before = await keys.rows('select secret from saved_keys order by id');
    const vault = createTokenVault({ current: encryptKey, previous: '' });
    const place = (column: 'refresh_token' | 'access_token') => ({ accountId, integrationId: 1n, column });
    const tokens = [
      await vault.seal('refresh', place('refresh_token')),
      await vault.seal('access', place('access_token')),
    ];
    await keys.rows(`insert into integrations (account_id, id, provider, provider_name, provider_user_id, username,
        display_name, scopes, refresh_token, access_token)
      values ('${accountId}', 1, 'google', 'google', 'u', 'u', 'u', '{}', '${tokens[0]}', '${tokens[1]}')`);
    const first = await run(rotation);
    expect(first).toEqual({
      code: 0,
      errors: '',
      lines: [
        'saved_keys.secret: 3 to encrypt again',
        'saved_keys.secret: 3 of 3',
        'integrations.refresh_token: 1 to encrypt again',
        'integrations.refresh_token: 1 of 1',
        'integrations.access_token: 1 to encrypt again',
        'integrations.access_token: 1 of 1',
        'encrypted again: 5; cannot be opened, must be entered again: 0',
      ],
    });
    expect((await run(rotation)).lines.at(-1)).toBe('encrypted again: 0; cannot be opened, must be entered again: 0');
    expect(await seenWith(accountId, nextKey)).toEqual(['er-0', 'er-1', 'er-2']);
    expect(await seenWith(accountId, encryptKey)).toEqual(['lost', 'lost', 'lost']);
    const after = await keys.rows('select secret from saved_keys order by id');
    const parts = (rows: Record<string, unknown>[]) => rows.flatMap(({ secret }) => String(secret).split('.').slice(2));
    expect(parts(after).filter((part) => parts(before).includes(part))).toEqual([]);
    const [row] = await keys.rows('select refresh_token, access_token from integrations');
    const next = createTokenVault({ current: nextKey, previous: '' });
    expect(await next.open(String(row?.['refresh_token']), place('refresh_token'))).toBe('refresh');
    expect(await next.open(String(row?.['access_token']), place('access_token'))).toBe('access');
  });

  test('goes on after a kill, and leaves what no key opens as it is', async () => {
    const accountId = await createKeys(4);
    await keys.rows(`update saved_keys set secret = 'v1.lost.x.y' where name = 'k1'`);
    // A killed command leaves some rows under the new key and the others under the former one.
    await run(rotation);
    await keys.rows(`update saved_keys set secret = old.secret from (select secret from saved_keys where name = 'k0') old
      where name = 'k2'`);
    await createKeys(250);
    const again = await run(rotation);
    expect(again.code).toBe(0);
    expect(again.lines.slice(0, 4)).toEqual([
      'saved_keys.secret: 251 to encrypt again',
      'saved_keys.secret: 100 of 251',
      'saved_keys.secret: 200 of 251',
      'saved_keys.secret: 251 of 251',
    ]);
    expect(again.lines.at(-1)).toBe('encrypted again: 250; cannot be opened, must be entered again: 1');
    expect(await seenWith(accountId, nextKey)).toEqual(['er-0', 'lost', 'lost', 'er-3']);
  });

  test('beside the service, with keys that are changed and used meanwhile', async () => {
    const accountId = await createKeys(150);
    await using service = await openKeys({ DATABASE_URL: keys.databaseUrl, ...rotation });
    const { keys: listed } = await service.savedKeys.listKeys({ accountId, kind });
    const running = Promise.all([run(rotation), run(rotation)]);
    await Promise.all(
      listed
        .slice(0, 60)
        .map(({ id: keyId }, index) =>
          service.savedKeys.updateKey({ accountId, keyId, kind, secret: `sk-changed-meanwhile-${index + 1_000}` }),
        ),
    );
    for (const { code } of await running) expect(code).toBe(0);
    const seen = await seenWith(accountId, nextKey);
    expect(seen.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, index) => String(index + 1_000)));
    expect(seen.slice(60)).not.toContain('lost');
  });

  test('of runs and webhooks seals what they store again: headers of agents, also of former versions, and secrets of webhooks', async () => {
    const [accountId, id] = [randomUUID(), randomUUID()];
    const url = 'https://tools.example/mcp';
    const { envelopes } = await keys.toolKeys.sealHeaders({
      accountId,
      url,
      values: { 'x-token': 'a secret of a vendor' },
    });
    const { envelope, madeSecret } = await keys.signing.sealSecret({ accountId, id });
    const lost = { ...envelopes, 'x-lost': 'v1.lost.x.y' };
    const fields = `{"n":1.0, "mcp_servers":[{"url":"${url}","headers":${JSON.stringify(lost)}}]}`;
    const services = ['runs', 'webhooks'];
    const zero = { code: 0, errors: '', lines: [0, 0].map((_, table) => headers(table, 0, 0)).concat(secrets(0, 0)) };
    expect(await run(rotation, services)).toEqual(zero);
    await rowsOf(
      'runs',
      `insert into agents (account_id, agent_id, name, version, sub_agents, fields)
        values ('${accountId}', 1, 'a', 2, '{}', '${fields}'), ('${accountId}', 2, 'b', 1, '{}', '{}')`,
    );
    await rowsOf(
      'runs',
      `insert into agent_versions (account_id, agent_id, version, fields)
        values ('${accountId}', 1, 1, '${fields}'), ('${accountId}', 1, 2, '${fields}')`,
    );
    await rowsOf(
      'webhooks',
      `insert into run_webhooks (account_id, run_sha256, app_name, user_id, session_id, invocation_id, url,
        secret_id, secret, secret_fingerprint, created_at)
        values ('${accountId}', '', 'a', 'u', 's', 'i', 'https://x.example', '${id}', '${envelope}', '', now())`,
    );
    expect((await run(rotation, services)).lines).toEqual([headers(0, 1, 1), headers(1, 2, 2), secrets(1, 0)]);
    expect((await run(rotation, services)).lines).toEqual([headers(0, 0, 1), headers(1, 0, 2), secrets(0, 0)]);

    await using service = await openKeys({ DATABASE_URL: keys.databaseUrl, ENCRYPT_KEY: nextKey });
    const stored = await rowsOf(
      'runs',
      `select fields::text from agents where agent_id = 1
        union all select fields::text from agent_versions`,
    );
    for (const { fields: text } of stored) {
      expect(text).toMatch(/^\{"n":1\.0, "mcp_servers":/);
      const [server] = (JSON.parse(String(text)) as { mcp_servers: { headers: Record<string, string> }[] }).mcp_servers;
      const { 'x-lost': left, ...sealed } = server?.headers ?? {};
      expect(left).toBe('v1.lost.x.y');
      const opened = await service.toolKeys.openHeaders({ accountId, url, envelopes: sealed });
      expect(opened.values).toEqual({ 'x-token': 'a secret of a vendor' });
    }
    const [row] = await rowsOf('webhooks', 'select secret from run_webhooks');
    const message = { accountId, id, messageId: 'm', timestamp: 1n, payload: new Uint8Array() };
    const before = await keys.signing.signMessage({ ...message, envelope });
    expect(await service.signing.signMessage({ ...message, envelope: String(row?.['secret']) })).toEqual(before);
    expect(madeSecret).toMatch(/^whsec_/);
  });

  test('names a missing key, and an option that there is not', async () => {
    const missing = await run({});
    expect(missing).toMatchObject({ code: 1, errors: expect.stringContaining('ENCRYPT_KEY') });
    const child = spawn(process.execPath, ['main.ts', 'sessions', '--reencrypt'], { cwd: root, stdio: 'pipe' });
    const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(errors).toContain('unknown option: --reencrypt');
  });
});
