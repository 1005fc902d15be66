import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { makeSecrets } from '@agentmesh/lib/service';
import { folderOfData } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { mainOfProduct, plainEnvironment } from './plain-environment.ts';

/** `all`: one process. `separate`: every service in a process of its own, over gRPC. */
export type Mode = 'all' | 'separate';

export interface TestMesh extends AsyncDisposable {
  /** Address of the gateway. */
  readonly url: string;
  /** `DATA_DIR` of its processes. */
  readonly dataDir: string;
  /** The lines that the processes have written to stdout and stderr; with `mostLines` the latest ones. */
  readonly lines: readonly string[];
  /** Processes that ended by themselves after they had been ready, each time. */
  readonly crashed: string[];
  /** Sends SIGKILL to the process of one service, or to all processes. */
  kill(word?: string): Promise<void>;
  /** Asks one process to stop, and waits for its end. */
  stop(name: string): Promise<void>;
  /** Starts the processes that have ended again, with the same ports and data. */
  restart(): Promise<void>;
  /** Stops a process, which then does nothing while its connections stay open, or lets it go on. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void;
}

export interface MeshOptions {
  mode: Mode;
  /** Folder of the sources; this repository by default. */
  root?: string;
  /** Folder of the sources of one process of a separate mesh, by its name; asked at each start of it. */
  rootOf?: (name: string) => string;
  /** PostgreSQL of this mesh; by default an embedded one in the new DATA_DIR. */
  databaseUrl?: string;
  env?: Record<string, string>;
  /** Further settings of one process of a separate mesh, by its name; asked at each start of it. */
  ownEnv?: (name: string) => Record<string, string>;
  /** Services of a separate mesh that have two processes. The name of the second one ends with `-2`. */
  doubled?: readonly string[];
  /** Port at which the other processes of a separate mesh reach one. By default its own. */
  reachedAt?: (name: string, port: number) => Promise<number>;
  /** Services of a separate mesh that are started; absent: all. The gateway is always one of them. */
  only?: readonly string[];
  /**
   * Services of a separate mesh that have processes of their own; absent: all. The others share the process `others`, which takes a second of processor time to start
   * where as many processes take five: for tests of what happens when some processes die.
   */
  apart?: readonly string[];
  /** Number of lines of output that are kept at least; absent: all of them. */
  mostLines?: number;
  /** Flags of Node for all processes; by default none. */
  nodeFlags?: readonly string[];
  /** File that Node runs in this repository; by default `mainOfProduct`. */
  program?: string;
}

const repository = fileURLToPath(new URL('..', import.meta.url));
/** The apps that tests run. */
export const agentsDir = fileURLToPath(new URL('agents', import.meta.url));
/** The app `echo` alone. The samples have one in code, for which each start runs a process with ADK: a quarter of a second of processor time. */
export const plainAgentsDir = fileURLToPath(new URL('plain-agents', import.meta.url));
export const encryptKey = 'an encrypt key that is used by tests and nowhere else';

/** Starts the mesh as real processes of `main.ts`. Resolves when all of them are ready. */
export async function startMesh({
  mode,
  root = repository,
  rootOf = () => root,
  databaseUrl,
  env = {},
  ownEnv,
  only,
  apart,
  doubled = [],
  reachedAt = async (_, port) => port,
  mostLines = Infinity,
  nodeFlags = [],
  program = mainOfProduct,
}: MeshOptions): Promise<TestMesh> {
  const words = servicesOf(root).filter((word) => only === undefined || word === 'gateway' || only.includes(word));
  const folder = await mkdtemp(join(folderOfData(), 'mesh-'));
  // PostgreSQL does not run as root: its own user must be able to enter the folder.
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  const processes = processesOf(words, doubled, apart);
  const [port = 0, ...ports] = await freePorts(processes.length + 1);
  const lines: string[] = [];
  const crashed: string[] = [];
  const common = {
    ...plainEnvironment,
    DATA_DIR: dataDir,
    ENCRYPT_KEY: encryptKey,
    PORT: String(port),
    OPS_PORT: '0',
    AGENTS_DIR: plainAgentsDir,
    // The tests of auth hash at the usual cost, which takes 40 ms of processor time for each account here.
    AUTH_ARGON2_MEMORY_KIB: '64',
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    ...env,
  };
  const places = processes.map((it, index) => ({ ...it, port: ports[index] as number }));
  const starts = mode === 'all' ? { all: common } : await separateEnvironments(places, common, reachedAt);
  const children = new Map<string, ChildProcess>();
  const start = async (name: string, env: Record<string, string>): Promise<void> => {
    const main = rootOf(name) === repository ? program : 'main.ts';
    const argv = [...nodeFlags, main, ...(places.find((place) => place.name === name)?.words ?? ['all'])];
    const child = spawn(process.execPath, argv, { cwd: rootOf(name), env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.set(name, child);
    let isReady = false;
    child.once('exit', () => {
      if (children.get(name) !== child) return;
      children.delete(name);
      if (isReady) crashed.push(name);
    });
    const keep = (line: string): void => {
      if (lines.push(line) > 2 * mostLines) lines.splice(0, mostLines);
    };
    await untilReady(child, keep, name);
    isReady = true;
  };
  const startMissing = async (): Promise<void> => {
    const missing = Object.entries(starts).filter(([name]) => !children.has(name));
    await Promise.all(missing.map(([name, env]) => start(name, { ...env, ...ownEnv?.(name) })));
  };
  const end = async (signal: NodeJS.Signals, which?: string): Promise<void> => {
    const ending = [...children].filter(([name]) => which === undefined || name === which);
    for (const [name] of ending) children.delete(name);
    await Promise.all(ending.map(([, child]) => stop(child, signal)));
  };
  const mesh: TestMesh = {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    lines,
    crashed,
    kill: (word) => end('SIGKILL', word),
    stop: (name) => end('SIGTERM', name),
    restart: startMissing,
    signal: (name, signal) => void children.get(name)?.kill(signal),
    [Symbol.asyncDispose]: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
  await startMissing().catch(async (error: unknown) => {
    await mesh[Symbol.asyncDispose]();
    throw error;
  });
  return mesh;
}

/** Names of all services; the gateway comes last. */
function servicesOf(root: string): string[] {
  const folders = readdirSync(join(root, 'services'), { withFileTypes: true }).filter((it) => it.isDirectory());
  return [...folders.map(({ name }) => name), 'gateway'];
}

interface Process {
  readonly name: string;
  /** Its services. */
  readonly words: readonly string[];
}

interface Place extends Process {
  readonly port: number;
}

/** The processes of a separate mesh. The second one of a service comes first. */
function processesOf(words: readonly string[], doubled: readonly string[], apart = words): Process[] {
  const others = words.filter((word) => !apart.includes(word));
  const own = words.filter((word) => apart.includes(word));
  return [
    ...own.flatMap((word) =>
      (doubled.includes(word) ? [`${word}-2`, word] : [word]).map((name) => ({ name, words: [word] })),
    ),
    ...(others.length > 0 ? [{ name: 'others', words: others }] : []),
  ];
}

async function separateEnvironments(
  places: readonly Place[],
  common: Record<string, string>,
  reachedAt: (name: string, port: number) => Promise<number>,
): Promise<Record<string, Record<string, string>>> {
  const addresses = new Map<string, string[]>();
  for (const { name, words, port } of places) {
    const address = `127.0.0.1:${await reachedAt(name, port)}`;
    for (const word of words) addresses.set(word, [...(addresses.get(word) ?? []), address]);
  }
  const away = servicesOf(repository).filter((word) => !addresses.has(word));
  const urls = new Map([
    ...Array.from(addresses, ([word, known]) => [word, urlOf(known)] as const),
    ...away.map((word) => [word, nowhere] as const),
  ]);
  const settings = Array.from(urls, ([word, url]) => [`MESH_${word.toUpperCase()}_URL`, url]);
  const shared: Record<string, string> = { ...common, ...Object.fromEntries(settings) };
  const identities = identitiesOf([...addresses.keys()]);
  const { ENCRYPT_KEY: _, ...withoutKey } = shared;
  return Object.fromEntries(
    places.map(({ name, words, port }) => {
      const isHolder = words.some((word) => ['auth', 'gateway', 'keys'].includes(word));
      const env: Record<string, string> = isHolder ? shared : withoutKey;
      return [name, { ...env, MESH_PORT: String(port), ...identities(words) }];
    }),
  );
}

/** Address of services that are not started: nothing listens there. */
const nowhere = 'http://127.0.0.1:1';

/** An address that leads to one process, or to several. */
function urlOf(addresses: readonly string[]): string {
  return addresses.length === 1 ? `http://${addresses[0]}` : `ipv4:${addresses.join(',')}`;
}

/** Returns the settings by which the services of a process prove who they are. */
function identitiesOf(words: readonly string[]): (here: readonly string[]) => Record<string, string> {
  const { MESH_IDENTITIES = '', ...own } = makeSecrets(words);
  const keyOf = (word: string): string => own[`${word.toUpperCase()}_MESH_IDENTITY`] ?? '';
  return (here) => ({ MESH_IDENTITIES, MESH_IDENTITY: here.map(keyOf).join(',') });
}

/** Passes all lines of a process on to `keep`. */
function untilReady(child: ChildProcess, keep: (line: string) => void, word: string): Promise<void> {
  const own: string[] = [];
  let isReady = false;
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        keep(line);
        if (!isReady) own.push(line);
        if (!line.includes('"msg":"ready"')) return;
        isReady = true;
        resolve();
      });
    }
    child.once('exit', (code) => reject(new Error(`${word} ended with ${code}:\n${own.join('\n')}`)));
  });
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
