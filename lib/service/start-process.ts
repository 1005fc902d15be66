import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CleanedEnv } from 'envalid';
import { type BusDriver, createBus, createSeal, openDriver } from '../bus/index.ts';
import { createMesh, type MeshIdentities, type MeshNode } from '../rpc/index.ts';
import {
  type Checks,
  createLogger,
  plainLines,
  createMetrics,
  type Logger,
  type Metrics,
  standardOutput,
  startOpsServer,
  startTracing,
} from '../telemetry/index.ts';
import { withinDeadline } from '../wait/index.ts';
import { openAudit, type ProcessAudit } from './consumers/index.ts';
import { type BacklogWatch, createBacklogWatch } from './backlog/index.ts';
import { type JobSurroundings, startJob } from './start-job.ts';
import { listenOn } from './listen-on.ts';
import {
  callsAway,
  checkAddresses,
  checkDirect,
  checkGrants,
  checkNats,
  checkTogether,
  defaultMeshPort,
  directUrlOf,
  type Environment,
  meshUrls,
  natsOptions,
  parseSettings,
  processSettings,
  settingsOf,
} from './settings/index.ts';
import { openEmbedded } from './open-embedded.ts';
import { openServiceDatabase } from './open-service-database.ts';
import { certificateFiles, openCertificates, readIdentities } from './mesh-identities.ts';
import type { Running, Service, Settings } from './service.ts';
import { unusableServer } from './unusable-server.ts';

const backlogRounds = { pauseMs: 45_000, failure: 'the work that waits cannot be counted' };

export interface ProcessOptions {
  /** The services this process runs, in the order in which they start. */
  readonly services: readonly Service[];
  /** The words of all services of the mesh, whether they run here or not. */
  readonly words: readonly string[];
  readonly env: Environment;
  /** Ends a start that still waits for something, e.g. for another process to stop. */
  readonly signal?: AbortSignal;
}

/** A running process of the mesh. Disposing it drains: new work is refused, work in hand is finished, then all is closed. */
export interface MeshProcess extends AsyncDisposable {
  readonly log: Logger;
  /** Reaches every service as the services do. */
  readonly mesh: Pick<MeshNode, 'as'>;
  /** Address of the gateway; undefined when it does not run here. */
  readonly address: string | undefined;
  /** Port of the services' gRPC server; undefined when there is none. */
  readonly meshPort: number | undefined;
  /** Checks of the dependencies of the process, by name. */
  readonly checks: Checks;
  /** Resolves when consumers and jobs of all services have nothing left to do. */
  settle(): Promise<void>;
}

type ProcessConfig = CleanedEnv<typeof processSettings>;

interface Base {
  readonly config: ProcessConfig;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly mesh: MeshNode;
  readonly driver: BusDriver;
  readonly identities: MeshIdentities | undefined;
  /** Absent where no consumer may call. */
  readonly audit: ProcessAudit | undefined;
}

/** Throws SettingsError, naming every bad variable, when the services could not start with this environment. Returns the weaknesses of settings that are taken. */
export function checkProcess({ services, words, env }: ProcessOptions): string[] {
  const groups = [processSettings, ...words.map(settingsOf), ...services.map((service) => service.settings)];
  checkTogether(groups.map((group: Settings) => () => parseSettings(group, env)));
  const config = parseSettings(processSettings, env);
  checkTogether([
    () => readIdentities({ config, here: namesOf(services), words }),
    () => certificateFiles(config),
    () => checkNats(config),
    () => checkDirect(env),
    () => checkAddresses(callsAway({ services, words, env }), words),
    ...services.map((service) => () => service.check?.(parseSettings(service.settings, env))),
  ]);
  return services.flatMap((service) => service.weaknesses?.(parseSettings(service.settings, env)) ?? []);
}

function namesOf(services: readonly Service[]): string[] {
  return services.map(({ name }) => name);
}

/** Metrics have numbers from the start: the first reading does not wait for a round, and the next one tells of its failure. */
function startBacklogRounds(backlog: BacklogWatch, surroundings: JobSurroundings): AsyncDisposable {
  const read = () => backlog.read();
  void read().catch(() => undefined);
  return startJob({ ...backlogRounds, run: read }, surroundings);
}

/** Starts services in one process. When one fails to start, what was opened is closed and the error is thrown. */
export async function startProcess(options: ProcessOptions): Promise<MeshProcess> {
  checkProcess(options);
  await using resources = new AsyncDisposableStack();
  const draining = new AbortController();
  // Jobs end when the process drains, also when it drains because a later service failed to start.
  using failure = new DisposableStack();
  failure.defer(() => draining.abort());
  const base = await openBase(options, { resources, draining: draining.signal });
  const { driver, metrics, log } = base;
  const backlog = createBacklogWatch({ driver, metrics });
  const running = new Map<string, Running>();
  for (const service of options.services) {
    running.set(
      service.name,
      await startService(service, { ...base, backlog, env: options.env, resources, draining: draining.signal }),
    );
  }
  if (base.audit !== undefined) resources.use(base.audit.start(running, base.mesh));
  resources.use(startBacklogRounds(backlog, { log, draining: draining.signal }));
  checkMesh(base.mesh, options.words);
  const own = collectChecks(running, 'ready');
  const optional = collectChecks(running, 'optionalSiblings');
  const others = { ...collectChecks(running, 'siblings'), ...optional };
  const checks = { bus: () => driver.ping(), ...own, ...backlog.checks, ...others };
  const meshPort = await listen(options, base);
  if (base.config.OPS_PORT !== 0) {
    const { OPS_HOST: host, OPS_PORT: port, OPS_HOSTS: hosts, OPS_PROFILES: profiles } = base.config;
    const shown = { backlog: () => backlog.read(), optional: { ...optional, ...backlog.checks } };
    const start = () => startOpsServer({ host, port, hosts, metrics, checks, own, profiles, ...shown });
    resources.use(await listenOn({ host, port, portSetting: 'OPS_PORT' }, start));
  }
  failure.move();
  const opened = resources.move();
  const started = [...running.values()];
  const address = started.find((service) => service.address !== undefined)?.address;
  return {
    log: base.log,
    mesh: base.mesh,
    address,
    meshPort,
    checks,
    settle: async () => {
      await Promise.all(started.map(async (service) => service.settle?.()));
    },
    [Symbol.asyncDispose]: async () => {
      await stop(base, started, draining);
      await opened.disposeAsync();
    },
  };
}

function checkMesh(mesh: MeshNode, words: readonly string[]): void {
  checkAddresses(mesh.missing(), words);
  checkGrants(mesh);
}

interface Lifetime {
  readonly resources: AsyncDisposableStack;
  readonly draining: AbortSignal;
}

async function openBase(
  { services, words, env, signal }: ProcessOptions,
  { resources, draining }: Lifetime,
): Promise<Base> {
  const config = parseSettings(processSettings, env);
  const name = services.length === words.length ? 'mesh' : services.map((service) => service.name).join('+');
  const destination = config.LOG_FORMAT === 'plain' ? plainLines((text) => standardOutput().write(text)) : undefined;
  const log = createLogger({ level: config.LOG_LEVEL, name, ...(destination && { destination }) });
  const metrics = createMetrics();
  const tracing = await startTracing({ serviceName: `agentmesh-${name}`, env });
  if (tracing !== undefined) resources.use(tracing);
  const dataDir = resolve(config.DATA_DIR);
  await warnOfOpenFolder(dataDir, log);
  const embedded = { dataDir, log, draining, ...(signal !== undefined && { signal }) };
  const databaseUrl = config.DATABASE_URL ?? resources.use(await openEmbedded(embedded)).url;
  const nats = natsOptions(config, name.replaceAll('+', '_'));
  const driver = await openDriver({ nats, databaseUrl, directUrl: directUrlOf(databaseUrl, env), log }).catch(
    (error: unknown) => {
      if (nats === undefined && config.DATABASE_URL === undefined) throw error;
      throw unusableServer(nats === undefined ? 'DATABASE_URL' : 'NATS_URL', error);
    },
  );
  resources.use(driver);
  const identities = readIdentities({ config, here: namesOf(services), words });
  const tls = await openCertificates(config, { here: namesOf(services), log });
  if (tls !== undefined) resources.use(tls);
  const audit = config.MESH_CONSUMERS.size === 0 ? undefined : openAudit(log);
  const mesh = resources.use(
    createMesh({
      urls: meshUrls(words, env),
      identities,
      ...(tls !== undefined && { tls }),
      consumers: config.MESH_CONSUMERS,
      audit: audit?.audit,
      reflection: config.MESH_REFLECTION,
      log,
      metrics,
    }),
  );
  return { config, dataDir, databaseUrl, log, metrics, mesh, driver, identities, audit };
}

/** An existing DATA_DIR that is open to others keeps its mode, since its owner may share it on purpose: it is named in a warning. */
async function warnOfOpenFolder(dataDir: string, log: Logger): Promise<void> {
  const found = await stat(dataDir).catch(() => undefined);
  // Group permission to pass through is what the embedded PostgreSQL needs when root starts it.
  if (found === undefined || (found.mode & 0o067) === 0) return;
  const mode = `0${(found.mode & 0o777).toString(8)}`;
  log.warn(
    { dataDir, mode },
    'DATA_DIR is open to other users of this machine: stop the mesh and set its mode to 0700',
  );
}

type Surroundings = Base & Lifetime & { readonly env: Environment; readonly backlog: BacklogWatch };

async function startService(service: Service, surroundings: Surroundings): Promise<Running> {
  const { env, resources, draining, dataDir, databaseUrl, metrics, mesh, driver, identities, backlog } = surroundings;
  const ownKey = identities?.own.get(service.name);
  const log = surroundings.log.child({ service: service.name });
  const openDatabase = openServiceDatabase(service, { env, log, metrics, resources, databaseUrl });
  const running = await service.start({
    config: parseSettings(service.settings, env),
    log,
    metrics,
    mesh: mesh.as(service.name),
    bus: createBus({ driver, service: service.name, log, metrics, ...(ownKey && { seal: createSeal(ownKey) }) }),
    dataDir,
    resources,
    draining,
    openDatabase: async () => {
      const db = await openDatabase();
      backlog.add(service.name, db, log);
      return db;
    },
  });
  log.debug('started');
  return running;
}

/** Opens the port of the services' gRPC server. In one process the services call each other directly, and a port is opened only if it is given. */
async function listen({ services, words }: ProcessOptions, base: Base): Promise<number | undefined> {
  const { MESH_HOST: host, MESH_PORT: given } = base.config;
  const served = services.filter((service) => service.name !== 'gateway');
  const first = served[0];
  if (first === undefined || (given === undefined && services.length === words.length)) return undefined;
  const port = given ?? defaultMeshPort(first.name, words);
  const listening = await listenOn({ host, port, portSetting: 'MESH_PORT' }, () => base.mesh.listen({ host, port }));
  return listening.port;
}

type CheckKind = 'ready' | 'siblings' | 'optionalSiblings';

function collectChecks(running: ReadonlyMap<string, Running>, kind: CheckKind): Checks {
  const checks: Record<string, () => Promise<void>> = {};
  for (const [word, service] of running) {
    for (const [name, check] of Object.entries(service[kind] ?? {})) checks[`${word}.${name}`] = check;
  }
  return checks;
}

/** Time in milliseconds for callers to go elsewhere: a stopping process says that it leaves, and serves those that have not heard it. */
const partingMs = 2_000;

/** Says that the process leaves, waits until callers have left, then refuses new work and finishes what is in hand. */
async function stop(
  { config, mesh, log }: Base,
  started: readonly Running[],
  draining: AbortController,
): Promise<void> {
  const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1000;
  const deadline = performance.now() + graceMs;
  const leftMs = (): number => Math.max(deadline - performance.now(), 100);
  await mesh.leave(Math.min(partingMs, graceMs / 2), graceMs);
  draining.abort();
  const drains = started.map(async (service) => service.drain?.(leftMs()));
  const told = (err: unknown): void => log.error({ err }, 'a service could not finish its work: the others go on');
  await withinDeadline(Promise.all(drains.map((one) => one.catch(told))), leftMs(), () =>
    log.warn({ graceMs }, 'time to drain is over; work in progress is cut off'),
  );
  await mesh.drain(leftMs());
}
