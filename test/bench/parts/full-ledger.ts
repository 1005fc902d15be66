import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openMeter } from '../guard/meter.ts';
import { type LoadResult, runLoad } from '../load/load-job.ts';
import { startDurablePostgres } from '../targets/durable-postgres.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import type { Figure, Part } from './part.ts';

const formerRuns = 2_000_000;
const connections = 16;
const [warmUpSeconds, seconds] = [6, 15];
/** Time for the work that follows the last answer. */
const settleMs = 200;

interface Cost {
  readonly perSecond: number;
  readonly postgresMs: number;
  readonly walBytes: number;
}

/** The cost of a run for PostgreSQL in a ledger that has two million others, beside that in an empty one. */
export const fullLedger: Part = {
  name: 'full',
  measure: async ({ say, signal }) => {
    await using database = await startDurablePostgres();
    await using target = await startMeshOneProcess({ DATABASE_URL: database.url });
    say('runs in an empty ledger');
    await load(target, warmUpSeconds, signal);
    const empty = await costOf(target, database.url, signal);
    say(`adding ${formerRuns} runs`);
    await addRuns(database.url);
    say('runs in a full one');
    await load(target, warmUpSeconds, signal);
    const full = await costOf(target, database.url, signal);
    return [...figuresOf('empty', empty), ...figuresOf('full', full)];
  },
};

function load({ url, app, token }: Target, secondsOfLoad: number, signal: AbortSignal): Promise<LoadResult> {
  const job = { url, app, connections, kind: 'run', warmUpSeconds: 0, seconds: secondsOfLoad } as const;
  return runLoad({ ...job, ...(token !== undefined && { token }) }, signal);
}

/** Behind a checkpoint, as most runs of a server are: the first change of a page after it is written to the log as a whole page. */
async function costOf(target: Target, url: string, signal: AbortSignal): Promise<Cost> {
  await using meter = await openMeter([], url);
  await asOwner(url, ['checkpoint']);
  const start = await meter.read();
  const { count, perSecond } = await load(target, seconds, signal);
  await sleep(settleMs, undefined, { signal });
  const end = await meter.read();
  const each = (name: 'postgresMs' | 'walBytes') => (end[name] - start[name]) / count;
  return { perSecond, postgresMs: each('postgresMs'), walBytes: each('walBytes') };
}

/** Ended runs of the account that makes the load, of the last weeks, with the ids that the sessions service gave to those before. */
async function addRuns(url: string): Promise<void> {
  await asOwner(url, [
    `insert into sessions.runs (account_id, session_pk, invocation_id, app_name, user_id, session_id, status, owner, created_at, started_at, ended_at,
       attempt, first_seq, end_seq, usage, agent)
     select account_id, -n / 25, 'e-' || substr(hex, 1, 8) || '-' || substr(hex, 9) || substr(gen_random_uuid()::text, 14), 'echo', 'u' || n % 50,
       'former' || n / 25, 'completed', 'former', at, at, at, 1, n % 25 * 2 + 1, n % 25 * 2 + 3, '{"totalTokenCount":12}', '{"version":"7"}'
     from (select account_id from sessions.sessions limit 1) account, generate_series(1, ${formerRuns}) n,
       lateral (select now() - (${formerRuns} - n) * interval '1 second' as at) a,
       lateral (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex) h`,
    'vacuum analyze sessions.runs',
  ]);
}

/** Statements on the server itself, whose owner may read the schemas of all services. */
async function asOwner(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

function figuresOf(ledger: string, { perSecond, postgresMs, walBytes }: Cost): Figure[] {
  return [
    { label: `${ledger} ledger: runs/s`, value: perSecond },
    { label: `${ledger} ledger: CPU of PostgreSQL a run, µs`, value: postgresMs * 1000 },
    { label: `${ledger} ledger: WAL a run, kB`, value: walBytes / 1000 },
  ];
}
