import { resolve } from 'node:path';
import type { QueryResultRow } from 'pg';
import { isKept, streamOf, topicsOf } from '../bus/index.ts';
import { type Queryable, rowTypes, type Statement, withOwner } from '../pg/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { openEmbedded } from './open-embedded.ts';
import { findLostRights, type Logins } from './lost-rights.ts';
import { directUrlOf, type Environment, parseSettings, processSettings } from './settings/index.ts';
import { loginOf } from './service-logins.ts';
import type { Service } from './service.ts';
import { unusableServer } from './unusable-server.ts';

export interface VerifyRestoreOptions {
  /** All services of the mesh. */
  readonly services: readonly Service[];
  readonly env: Environment;
  readonly print: (line: string) => void;
}

/** Most lines of a kind that one service prints; the others are counted. */
const mostLines = 50;

interface Tally {
  faults: number;
  readonly print: (line: string) => void;
}

/**
 * Compares a database that was restored with what belongs to it, and prints a line for each fault: rights of the services' logins, messages that wait in outboxes, and payloads of
 * artifacts. Reads with the login of `DATABASE_URL`, as `migrate` does, page by page, and changes nothing. Returns whether there is no fault. Throws SettingsError
 * for bad settings.
 */
export async function verifyRestore({ services, env, print }: VerifyRestoreOptions): Promise<boolean> {
  const config = parseSettings(processSettings, env);
  const logins: Logins = new Map(services.map((service) => [service, loginOf(service.name, env)]));
  await using resources = new AsyncDisposableStack();
  const log = createLogger({ level: config.LOG_LEVEL, name: 'verify-restore' });
  const dataDir = resolve(config.DATA_DIR);
  const given = config.DATABASE_URL ?? resources.use(await openEmbedded({ dataDir, log })).url;
  const url = directUrlOf(given, env) ?? given;
  const tally: Tally = { faults: 0, print };
  await tellServer(url, print).catch((error: unknown) => {
    throw config.DATABASE_URL === undefined ? error : unusableServer('DATABASE_URL', error);
  });
  for (const right of await findLostRights({ url, services, logins })) fault(tally, `missing: ${right}`);
  for (const service of services) {
    await verifyOutbox(service, url, tally);
    await verifyService(service, { url, env, dataDir, resources, tally });
  }
  if (config.NATS_URL.length > 0) print(`note: ${streamNote(services)}`);
  print(tally.faults === 0 ? 'the restore is whole' : `faults: ${tally.faults}; docs/backup.md says what to do`);
  return tally.faults === 0;
}

function fault(tally: Tally, line: string): void {
  tally.faults += 1;
  tally.print(line);
}

/** Tells which server this is: the one that was restored into is mistaken easily for the one that was dumped. */
async function tellServer(url: string, print: (line: string) => void): Promise<void> {
  const text = `select format('database %s, PostgreSQL %s, timeline %s', current_database(), current_setting('server_version'), timeline_id) as name
    from pg_control_checkpoint()`;
  const { rows } = await withOwner(url, (client) => client.query<{ name: string }>(text));
  for (const { name } of rows) print(name);
}

function streamNote(services: readonly Service[]): string {
  const names = services.map(({ name }) => name);
  const publishing = names.filter((name) => topicsOf(name).published.some(isKept));
  return `the streams ${publishing.map(streamOf).join(', ')} in NATS must have been removed before the services start`;
}

/** Minutes after which a message that nobody has published counts as stuck. */
const stuckMinutes = 5;

async function verifyOutbox({ name }: Service, url: string, tally: Tally): Promise<void> {
  await withOwner(url, async (client) => {
    const table = `${name}.outbox`;
    if ((await client.query('select where to_regclass($1) is not null', [table])).rowCount === 0) return;
    const { rows } = await client.query<{ number: string; since: Date | null }>(
      `select count(*) as number, min(created_at) as since from (
         select created_at from ${table} where created_at < now() - interval '${stuckMinutes} min' order by id limit 10001
       ) oldest`,
    );
    for (const { number, since } of rows) {
      if (since === null) continue;
      fault(tally, `stuck: ${number} messages wait in ${table} since ${since.toISOString()}`);
    }
  });
}

interface Surroundings {
  readonly url: string;
  readonly env: Environment;
  readonly dataDir: string;
  readonly resources: AsyncDisposableStack;
  readonly tally: Tally;
}

/** Lets a service compare its rows with what it keeps elsewhere. */
async function verifyService(service: Service, { url, env, dataDir, resources, tally }: Surroundings): Promise<void> {
  if (service.verify === undefined) return;
  const counts = new Map<string, number>();
  const tell = (kind: string, line: string): void => {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    if (kind === 'lost') tally.faults += 1;
    if (number <= mostLines) tally.print(`${kind}: ${line}`);
  };
  const config = parseSettings(service.settings, env);
  const summary = await withOwner(url, async (client) => {
    await client.query(`set search_path to ${service.name}; set default_transaction_read_only to on`);
    const db: Queryable = {
      query: async <Row extends QueryResultRow>({ text }: Statement, values: readonly unknown[] = []) =>
        (await client.query<Row>({ text, values: [...values], types: rowTypes })).rows,
    };
    const leftOver = (line: string) => tell('left over', line);
    return service.verify?.({
      config,
      dataDir,
      resources,
      db,
      fault: (line) => tell('lost', line),
      leftOver,
    });
  });
  for (const [kind, number] of counts) if (number > mostLines) tally.print(`${kind}: ${number} in all`);
  tally.print(`${service.name}: ${summary}`);
}
