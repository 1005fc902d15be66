import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { startMesh } from '../mesh.ts';
import { findPostgresTools } from '../programs/postgres-tools.ts';
import { startArchivedPostgres } from './archived-postgres.ts';
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

const isFull = process.env['VERIFY'] === 'full';
const tools = isFull ? await findPostgresTools(15) : undefined;
const leastPieces = 4;

/** The address of the same database at another server. */
function movedTo(server: string, url: string): string {
  const moved = new URL(url);
  moved.host = new URL(server).host;
  return moved.href;
}

test.skipIf(tools === undefined)(
  'a server that is recovered to a moment from a base backup and the archive has all that was acknowledged before it, and nothing later',
  { timeout: 180_000 },
  async () => {
    if (tools === undefined) throw new Error('skipped');
    await using resources = new AsyncDisposableStack();
    const payloads = resources.adopt(await mkdtemp(join(tmpdir(), 'payloads-')), (path) =>
      rm(path, { recursive: true }),
    );
    const server = resources.use(await startArchivedPostgres());
    const source = await ownedDatabase(server.url, 'mesh', 'createrole');
    const logins = loginsAt(source, 'rehearsed');
    const prepared = await runMain(['migrate'], { ...logins, DATABASE_URL: source, LOG_LEVEL: 'silent' });
    if (prepared.code !== 0) throw new Error(prepared.output);

    const base = join(
      resources.adopt(await mkdtemp(join(tmpdir(), 'base-')), (path) => rm(path, { recursive: true })),
      'data',
    );
    const pieces: Piece[] = [];
    let settled: Caller;
    let exported: string[];
    let before: Piece[];
    let after: Piece[];
    let moment: string;
    {
      await using mesh = await startMesh({ mode: 'all', databaseUrl: source, env: { ...env, ...logins } });
      const over = new AbortController();
      const callers = await Promise.all([newAccount(mesh.url), newAccount(mesh.url)]);
      const loading = Promise.all(callers.map((caller) => load(caller, pieces, over.signal)));
      const further = async (): Promise<void> => {
        const until = pieces.length + leastPieces;
        await expect.poll(() => pieces.length).toBeGreaterThanOrEqual(until);
      };
      await further();
      await tools.baseBackup(server.url, base);
      // Only the archive has what follows.
      ({ caller: settled, exported } = await settledAccount(mesh.url));
      await further();
      before = [...pieces];
      moment = await at(server.url, async (client) => {
        const { rows } = await client.query<{ moment: string }>('select clock_timestamp()::text as moment');
        return rows[0]?.moment ?? '';
      });
      const begun = pieces.length + callers.length;
      await further();
      after = pieces.slice(begun);
      await copyPayloads(mesh.dataDir, payloads);
      over.abort();
      await loading;
      const { body: me } = await settled.request<{ user_id: number }>('GET', '/api/users/me');
      expect((await settled.fetch('DELETE', `/api/users/${me.user_id}`)).status).toBe(204);
      await server.archived();
    }

    const recovered = resources.use(await server.recover((data) => cp(base, data, { recursive: true }), moment));
    const target = movedTo(recovered.url, source);
    const moved = Object.fromEntries(Object.entries(logins).map(([name, url]) => [name, movedTo(recovered.url, url)]));
    const ARTIFACT_STORE_URL = pathToFileURL(payloads).href;
    const settings = { ...moved, DATABASE_URL: target, LOG_LEVEL: 'silent', ARTIFACT_STORE_URL };
    const migrated = await runMain(['migrate'], settings);
    expect([migrated.output, migrated.code]).toEqual([expect.not.stringMatching(/still missing|^set: /m), 0]);
    const whole = await runMain(['verify-restore'], settings);
    expect([whole.output, whole.code]).toEqual([expect.stringContaining('the restore is whole'), 0]);
    expect(whole.output).toContain('timeline 2');
    expect(await foreignReads(moved)).toEqual([]);

    await using mesh = await startMesh({
      mode: 'all',
      databaseUrl: target,
      env: { ...env, ...moved, ARTIFACT_STORE_URL },
    });
    expect(await exportOf(new Caller(mesh.url, settled.token))).toEqual(exported);
    await expectPieces(mesh.url, before);
    const later = after.map(({ caller, path }) => new Caller(mesh.url, caller.token).request('GET', path));
    expect(new Set((await Promise.all(later)).map(({ status }) => status))).toEqual(new Set([404]));
  },
);
