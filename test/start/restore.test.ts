import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownServer } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh } from '../mesh.ts';
import { findPostgresTools } from '../programs/postgres-tools.ts';
import { at, loginsAt, ownedDatabase } from './owned-database.ts';
import {
  copyPayloads,
  env,
  expectPieces,
  exportOf,
  foreignReads,
  load,
  type Piece,
  settledAccount,
} from './rehearsal.ts';
import { runMain } from './run-main.ts';

const major = 15;
const tools = await findPostgresTools(major);
const leastPieces = 6;

/** Lines of one kind that are told one by one. */
const mostLines = 50;

/** Objects without a row, with those that were stored between the dump and the copy of the objects: the faster the machine, the more there are. */
function leftOverIn(output: string): number {
  const inAll = /^left over: (\d+) in all$/m.exec(output)?.[1];
  return inAll === undefined ? (output.match(/^left over: object /gm) ?? []).length : Number(inAll);
}

/** File of an object in a folder of payloads. */
function fileIn(payloads: string, accountId: string, id: string): string {
  return join(payloads, accountId, id.slice(0, 2), id);
}

/** An object that a payload names, as the database at `url` has it. */
async function someObject(url: string): Promise<readonly [accountId: string, id: string]> {
  const text = 'select account_id, blob_id from artifacts.payloads where blob_id is not null limit 1';
  const { rows } = await at(url, (client) => client.query<{ account_id: string; blob_id: string }>(text));
  return [rows[0]?.account_id ?? '', rows[0]?.blob_id ?? ''];
}

test.skipIf(tools === undefined)(
  'a dump under load, restored into another server, is whole after migrate, closed to foreign logins, and each damage is told',
  { timeout: 120_000 },
  async () => {
    if (tools === undefined) throw new Error('skipped');
    await using resources = new AsyncDisposableStack();
    const folder = resources.adopt(await mkdtemp(join(tmpdir(), 'restore-')), (path) => rm(path, { recursive: true }));
    const [one, other] = await Promise.all([ownServer(major), ownServer(major)]);
    resources.use(one);
    resources.use(other);
    const source = await ownedDatabase(one.url, 'mesh_before', 'createrole');
    const logins = loginsAt(source, 'rehearsed');
    const prepared = await runMain(['migrate'], { ...logins, DATABASE_URL: source, LOG_LEVEL: 'silent' });
    if (prepared.code !== 0) throw new Error(prepared.output);

    const dump = join(folder, 'dump');
    const payloads = join(folder, 'payloads');
    const pieces: Piece[] = [];
    let settled: Caller;
    let exported: string[];
    let stored: Piece[];
    {
      await using mesh = await startMesh({ mode: 'all', databaseUrl: source, env: { ...env, ...logins } });
      ({ caller: settled, exported } = await settledAccount(mesh.url));
      const over = new AbortController();
      const callers = await Promise.all([newAccount(mesh.url), newAccount(mesh.url)]);
      const loading = Promise.all(callers.map((caller) => load(caller, pieces, over.signal)));
      await expect.poll(() => pieces.length).toBeGreaterThan(leastPieces);
      stored = [...pieces];
      await tools.dump(source, dump);
      const after = pieces.length;
      await expect.poll(() => pieces.length).toBeGreaterThan(after);
      await copyPayloads(mesh.dataDir, payloads);
      over.abort();
      await loading;
    }

    const target = await ownedDatabase(other.url, 'mesh_after', 'createrole');
    await tools.restore(target, dump);
    const moved = loginsAt(target, 'rehearsed');
    const settings = {
      ...moved,
      DATABASE_URL: target,
      LOG_LEVEL: 'silent',
      ARTIFACT_STORE_URL: pathToFileURL(payloads).href,
    };
    const verify = () => runMain(['verify-restore'], settings);
    const loginOf = (word: string) => new URL(moved[`${word.toUpperCase()}_DATABASE_URL`] ?? '').username;

    const unprepared = await verify();
    expect(unprepared.output).toContain(`missing: role ${loginOf('auth')}\n`);
    expect(unprepared.code).toBe(1);
    const migrated = await runMain(['migrate'], settings);
    expect([migrated.output, migrated.code]).toEqual([expect.any(String), 0]);
    for (const right of [
      `role ${loginOf('sessions')}`,
      'closing of the function bus.trim to every login',
      'ownership of the schema webhooks_jobs by agentmesh_webhooks (it belongs to mesh_after)',
      'limit of the owner of auth.audit to adding rows',
      'closing of the database to other logins of the server: CONNECT',
    ])
      expect(migrated.output).toContain(`set: ${right}\n`);
    expect(migrated.output).not.toContain('still missing');
    const whole = await verify();
    expect([whole.output, whole.code]).toEqual([expect.stringContaining('the restore is whole'), 0]);
    expect(whole.output).toMatch(/artifacts: compared \d+ payloads with \d+ objects/);
    expect(await foreignReads(moved)).toEqual([]);

    const [owner, id] = await someObject(target);
    const lost = fileIn(payloads, owner, id);
    await rename(lost, join(folder, 'lost'));
    const stray = [randomUUID(), randomUUID()] as const;
    await mkdir(dirname(fileIn(payloads, ...stray)), { recursive: true });
    await writeFile(fileIn(payloads, ...stray), 'x');
    await at(target, (client) =>
      client.query(`insert into sessions.outbox (subject, payload, created_at) values ('x', '', now() - interval '1 hour');
        revoke update on memory.usage from ${loginOf('memory')};
        grant usage on schema auth to ${loginOf('runs')};
        revoke all on bus.durables from ${loginOf('keys')};
        grant connect on database mesh_after to public`),
    );
    const damaged = await verify();
    expect(damaged.code).toBe(1);
    const rights = [
      `rights of ${loginOf('memory')} on the rows of 1 tables of memory`,
      `closing of the schema auth to ${loginOf('runs')}`,
      `rights of ${loginOf('keys')} on the bus`,
      'closing of the database to other logins of the server: CONNECT',
    ];
    for (const line of rights) expect(damaged.output).toContain(`missing: ${line}\n`);
    expect(damaged.output).toMatch(/^stuck: 1 messages wait in sessions.outbox since /m);
    expect(damaged.output).toContain(`lost: object ${owner}/${id} is missing: a.bin (version 0) of echo/u1/`);
    expect(leftOverIn(damaged.output)).toBe(leftOverIn(whole.output) + 1);
    if (leftOverIn(damaged.output) <= mostLines)
      expect(damaged.output).toContain(`left over: object ${stray.join('/')} has no row\n`);

    await rename(join(folder, 'lost'), lost);
    await at(target, (client) => client.query(`delete from sessions.outbox where subject = 'x'`));
    const mended = await runMain(['migrate'], settings);
    expect(mended.output.match(/^set: .*$/gm)?.toSorted()).toEqual(rights.map((line) => `set: ${line}`).toSorted());
    expect((await verify()).code).toBe(0);

    const { ARTIFACT_STORE_URL } = settings;
    await using mesh = await startMesh({
      mode: 'all',
      databaseUrl: target,
      env: { ...env, ...moved, ARTIFACT_STORE_URL },
    });
    expect(await exportOf(new Caller(mesh.url, settled.token))).toEqual(exported);
    await expectPieces(mesh.url, stored);
  },
);
