import { readdirSync, readFileSync } from 'node:fs';
import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';

const ticksPerSecond = 100;
/** Use of a mesh and its database since they started. */
export interface Reading {
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly walBytes: number;
  /** Transactions that have written something. */
  readonly transactions: number;
}

/** Reads the use of one mesh. */
export interface Meter extends AsyncDisposable {
  read(): Promise<Reading>;
}

/** A meter of the processes `pids` and of the PostgreSQL at `url`, which must run on this machine. */
export async function openMeter(pids: readonly number[], url: string): Promise<Meter> {
  const database = await openDatabase(
    { service: 'bench', url, poolSize: 1, migrations: new URL('../targets/migrations/', import.meta.url) },
    createLogger({ level: 'warn', name: 'bench' }),
  );
  const [own] = await database.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
  const server = statOf(own?.pid ?? 0)?.parent ?? 0;
  return {
    read: async () => {
      const counted = await countersOf(database);
      return { nodeMs: ownMs(pids), postgresMs: serverMs(server), ...counted };
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function countersOf(database: Database): Promise<Pick<Reading, 'walBytes' | 'transactions'>> {
  const [row] = await database.query<{ wal: string; transactions: string }>({
    text: `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, pg_snapshot_xmax(pg_current_snapshot())::text as transactions`,
  });
  return { walBytes: Number(row?.wal ?? 0), transactions: Number(row?.transactions ?? 0) };
}

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** Children that have ended and were waited for. */
  readonly endedMs: number;
}

/** Undefined when the process has ended. */
function statOf(pid: number): Stat | undefined {
  try {
    const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
    const ms = (from: number) => ((Number(fields[from]) + Number(fields[from + 1])) * 1_000) / ticksPerSecond;
    return { parent: Number(fields[1]), ownMs: ms(11), endedMs: ms(13) };
  } catch {
    return undefined;
  }
}

function ownMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + (statOf(pid)?.ownMs ?? 0), 0);
}

/** CPU time of a PostgreSQL server and all its processes, those of connections that have ended included. */
function serverMs(server: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.map((pid) => statOf(Number(pid))).filter((stat) => stat?.parent === server);
  const own = statOf(server);
  return children.reduce((sum, stat) => sum + (stat?.ownMs ?? 0), (own?.ownMs ?? 0) + (own?.endedMs ?? 0));
}
