import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../embedded/index.ts';
import { folderOfData } from './folder-of-data.ts';

const run = promisify(execFile);

/** A server of its own with a standby that is behind. */
export interface FailingOver extends AsyncDisposable {
  readonly url: string;
  /** Brings the standby to the state of the server, which is restarted for that. */
  copy(): Promise<void>;
  /** Stops the server and promotes the standby, at the same address. What was committed since `copy` is lost. */
  failOver(): Promise<void>;
}

export async function startFailingOver(): Promise<FailingOver> {
  await using resources = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(folderOfData(), 'agentmesh-failover-'));
  resources.defer(() => rm(dataDir, { recursive: true, force: true }));
  await chmod(dataDir, 0o711);
  // Only a server that was told to recover reads `restore_command`: it finds no more of the log, and is promoted to the next timeline.
  const settings = ['fsync=off', 'restore_command=/bin/false'];
  const start = () => startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }), settings });
  let server: EmbeddedPostgres = await start();
  resources.defer(() => server[Symbol.asyncDispose]());
  const [data, standby] = ['data', 'standby'].map((name) => join(dataDir, 'postgres', name)) as [string, string];
  const restart = async (meanwhile: () => Promise<void>): Promise<void> => {
    await server[Symbol.asyncDispose]();
    await meanwhile();
    server = await start();
  };
  const opened = resources.move();
  return {
    url: server.url,
    copy: () => restart(() => copyWithOwner(data, standby)),
    failOver: () =>
      restart(async () => {
        await rename(data, `${data}-lost`);
        await rename(standby, data);
        await copyWithOwner(join(data, 'PG_VERSION'), join(data, 'recovery.signal'));
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The server runs as another account when this process is root. */
async function copyWithOwner(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]);
}
