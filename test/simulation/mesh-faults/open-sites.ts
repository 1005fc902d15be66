import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@agentmesh/lib/pg';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import pg from 'pg';
import { makeDataDir } from '../../bench/targets/durable-postgres.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../fakes/webhook-receiver.ts';
import { type SmtpSink, startSmtpSink } from '../../fakes/smtp-sink.ts';
import { killPostgres } from '../../faults/kill-postgres.ts';
import { TcpProxy } from '../../faults/tcp-proxy.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { type Effects, openEffects } from './effects.ts';
import { type MailProviders, startMailProviders } from './mail-providers.ts';
import { mountSmallDisk } from './small-disk.ts';

const only = ['auth', 'sessions', 'runs', 'keys', 'webhooks', 'artifacts', 'memory'];
/** Lines of output that are kept for the report of a violation. */
const mostLines = 50_000;

const settings = {
  ACCESS_TOKEN_EXPIRE_MINUTES: '1000',
  RATE_LIMIT_ENABLED: 'false',
  RUNS_MCP_ALLOW: '127.0.0.1/32',
  RUNS_WEBHOOK_ALLOW: '127.0.0.1/32',
  SCHEDULES_MIN_SECONDS: '1',
};

/** Two installations of the mesh on one PostgreSQL, and the servers on the internet that they call. */
export interface Sites extends AsyncDisposable {
  /** Separate processes, two of sessions and two of runs. All their connections to each other and to PostgreSQL lead through proxies. */
  readonly attacked: TestMesh;
  /** Addresses of the gateways of the attacked site: two of them, one in a small run. */
  readonly gateways: readonly string[];
  /** Processes of the attacked site that are killed and stopped. */
  readonly processes: readonly string[];
  /** One process without proxies: faults of the other site are not to affect its accounts. Absent in a small run. */
  readonly spared: TestMesh | undefined;
  /** The proxies of the attacked site: to the database by process, and to a process. */
  readonly links: readonly TcpProxy[];
  /** Tools of agents of the app `buyer`. */
  readonly effects: Effects;
  /** Gets the messages of webhooks. */
  readonly receiver: WebhookReceiver;
  /** Gets the mails to accounts. */
  readonly sink: SmtpSink;
  /** Have the mailboxes whose mails run agents. */
  readonly providers: MailProviders;
  /** Kills PostgreSQL, and starts it again. */
  restartPostgres(): Promise<void>;
  /** Fills the disk of the blob store until `over` resolves. Absent where nothing can be mounted. */
  readonly fillBlobDisk: ((over: Promise<unknown>) => Promise<void>) | undefined;
  /** Fills the disk of PostgreSQL until `over` resolves, and starts PostgreSQL again, which does not survive it. Absent where nothing can be mounted. */
  readonly fillDisk: ((over: Promise<unknown>) => Promise<void>) | undefined;
  /** Returns a function that counts the runs of before now that have neither ended nor wait for an answer of a user. */
  beginRecovery(): Promise<() => Promise<number>>;
}

export async function openSites({ isSmall }: { readonly isSmall: boolean }): Promise<Sites> {
  await using resources = new AsyncDisposableStack();
  const dataDir = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
  const disk = isSmall ? undefined : await mountSmallDisk(dataDir);
  if (disk !== undefined) resources.use(disk);
  const log = createLogger({ level: 'silent', name: 'test' });
  const startPostgres = () => startEmbeddedPostgres({ dataDir, log, settings: ['max_connections=400'] });
  let server: EmbeddedPostgres = await startPostgres();
  resources.defer(() => server[Symbol.asyncDispose]());
  const effects = resources.use(await openEffects());
  const receiver = resources.use(await startWebhookReceiver());
  const sink = resources.use(await startSmtpSink());
  const providers = resources.use(await startMailProviders());
  const apps = resources.adopt(await makeApps(effects.url), (folder) => rm(folder, { recursive: true, force: true }));
  // Both installations have one blob store, which is a folder in it.
  const data = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
  const blobDisk = isSmall ? undefined : await mountSmallDisk(data);
  if (blobDisk !== undefined) resources.use(blobDisk);
  const mail = { SMTP_URL: sink.url, MAIL_FROM: 'mesh@example.org' };
  const env = { ...settings, ...mail, ...providers.settings, AGENTS_DIR: apps, DATA_DIR: data };
  const site = await openAttacked(resources, { isSmall, env, url: server.url });
  providers.notify(site.attacked.url);
  const options = { mode: 'all', databaseUrl: server.url, env, mostLines } as const;
  const spared = isSmall ? undefined : resources.use(await startMesh(options));
  let restarted = Promise.resolve();
  /** Resolves when the disk has room: without it PostgreSQL cannot start. */
  let roomy = Promise.resolve();
  const restartPostgres = (): Promise<void> => {
    restarted = restarted.then(async () => {
      await killPostgres(server);
      await roomy;
      server = await startPostgres();
    });
    return restarted;
  };
  // A disk that is filled while PostgreSQL recovers keeps it from starting.
  const fillFor = async (over: Promise<unknown>): Promise<void> => {
    await restarted;
    await disk?.fill();
    await over;
    await disk?.empty();
  };
  const fillDisk = async (over: Promise<unknown>): Promise<void> => {
    roomy = fillFor(over);
    await roomy;
    await restartPostgres();
  };
  const fillBlobDisk = async (over: Promise<unknown>): Promise<void> => {
    await blobDisk?.fill();
    await over;
    await blobDisk?.empty();
  };
  const opened = resources.move();
  return {
    ...site,
    spared,
    effects,
    receiver,
    sink,
    providers,
    restartPostgres,
    fillDisk: disk && fillDisk,
    fillBlobDisk: blobDisk && fillBlobDisk,
    beginRecovery: () => beginRecovery(server.url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface AttackedOptions {
  readonly isSmall: boolean;
  readonly env: Record<string, string>;
  /** Address of PostgreSQL. */
  readonly url: string;
}

async function openAttacked(
  resources: AsyncDisposableStack,
  { isSmall, env, url }: AttackedOptions,
): Promise<Pick<Sites, 'attacked' | 'gateways' | 'processes' | 'links'>> {
  const doubled = ['sessions', 'runs', ...(isSmall ? [] : ['gateway'])];
  const replicas = doubled.map((word) => `${word}-2`);
  // A webhook whose process was killed comes half a minute later.
  const processes = [
    'gateway',
    'auth',
    'sessions',
    'runs',
    ...replicas,
    ...(isSmall ? [] : ['keys', 'webhooks', 'artifacts', 'memory']),
  ];
  const databases = new Map<string, TcpProxy>();
  const others = isSmall ? ['others'] : only;
  for (const name of new Set([...others, ...processes])) databases.set(name, resources.use(await TcpProxy.open(url)));
  const between: TcpProxy[] = [];
  const [port] = await freePorts(1);
  const ownEnv = (name: string): Record<string, string> => ({
    DATABASE_URL: databases.get(name)?.through(url) ?? '',
    ...(name === 'gateway-2' && { PORT: String(port) }),
  });
  const reachedAt = async (_: string, own: number): Promise<number> => {
    const link = resources.use(await TcpProxy.open(`http://127.0.0.1:${own}`));
    between.push(link);
    return link.port;
  };
  const apart = isSmall ? processes : only;
  const mesh = startMesh({ mode: 'separate', env, only, apart, doubled, ownEnv, reachedAt, mostLines });
  const attacked = resources.use(await mesh);
  const gateways = [attacked.url, ...(isSmall ? [] : [`http://127.0.0.1:${port}`])];
  return { attacked, gateways, processes, links: [...databases.values(), ...between] };
}

/** Makes a folder with the app `echo` and with `buyer`, whose tools are on the server at `url`. */
async function makeApps(url: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-apps-'));
  await cp(join(agentsDir, 'echo'), join(folder, 'echo'), { recursive: true });
  await mkdir(join(folder, 'buyer'));
  const toolset = `  - name: MCPToolset\n    args:\n      streamable_http_connection_params: { url: "${url}", timeout: 30 }\n`;
  await writeFile(join(folder, 'buyer', 'root_agent.yaml'), `name: buyer\nmodel: echo/default\ntools:\n${toolset}`);
  return folder;
}

async function beginRecovery(url: string): Promise<() => Promise<number>> {
  const [now] = await ask<{ now: Date }>(url, 'select clock_timestamp() as now');
  const text = `select count(*)::integer as n from sessions.runs
    where created_at <= $1 and ended_at is null and status <> 'waiting'`;
  return async () => (await ask<{ n: number }>(url, text, [now?.now]))[0]?.n ?? -1;
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}
