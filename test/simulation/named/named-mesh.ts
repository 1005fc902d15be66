import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';

/** A mesh whose services are found by name, as in Kubernetes: each process that starts has an address of its own, and a name leads to those that are ready. */
export interface NamedMesh extends AsyncDisposable {
  readonly mesh: TestMesh;
  /** Starts the replica of each service that does not run, and adds its address to its name. */
  readonly surge: () => Promise<void>;
  /** Takes the addresses of these processes from their names, waits, and stops them. */
  readonly remove: (names: readonly string[], preStopMs: number) => Promise<void>;
  /** Calls that a process has answered since it started. */
  readonly callsOf: (name: string) => Promise<number>;
}

interface NamedOptions {
  /** Services that run, each with one replica beside which `<service>-2` may be started. */
  readonly words: readonly string[];
  readonly databaseUrl: string;
  /** How long answers for names may be old. */
  readonly keptMs: number;
}

const loader = new URL('cached-names.ts', import.meta.url).href;
/** The second of the four numbers of loopback addresses, apart from those of other tests. */
const net = 90 + Number(process.env.VITEST_POOL_ID ?? 0);
let given = 0;

function newAddress(): string {
  given += 1;
  return `127.${net}.${given >> 8}.${given & 255}`;
}

/** Needs a system whose loopback interface has all addresses of 127.0.0.0/8, such as Linux. */
export async function startNamedMesh({ words, databaseUrl, keptMs }: NamedOptions): Promise<NamedMesh> {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'names-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'names.json');
  const ports = await freePorts(words.length);
  const portOf = (word: string): number => ports[words.indexOf(word)] ?? 0;
  const urls = Object.fromEntries(
    words.map((word) => [`MESH_${word.toUpperCase()}_URL`, `dns:///${word}.test:${portOf(word)}`]),
  );
  const addresses = new Map<string, string>();
  const opsPorts = new Map<string, number>();
  const all = words.flatMap((word) => [word, `${word}-2`]);
  for (const name of ['gateway', ...all]) opsPorts.set(name, (await freePorts(1))[0] ?? 0);
  const tell = async (names: readonly string[]): Promise<void> => {
    const known = Object.fromEntries(
      words.map((word) => [
        `${word}.test`,
        names.filter((name) => wordOf(name) === word).map((name) => addresses.get(name)),
      ]),
    );
    await writeFile(`${file}.next`, JSON.stringify(known));
    await rename(`${file}.next`, file);
  };
  const ready = new Set<string>(words);
  const ownEnv = (name: string): Record<string, string> => {
    const common = { ...urls, OPS_PORT: String(opsPorts.get(name)) };
    const address = addresses.get(name);
    return address === undefined ? common : { ...common, MESH_HOST: address, MESH_PORT: String(portOf(wordOf(name))) };
  };
  for (const name of all) addresses.set(name, newAddress());
  await tell(words);
  const env = {
    AGENTS_DIR: agentsDir,
    RUNS_APPS: 'echo,agent*',
    SHUTDOWN_GRACE_SECONDS: '5',
    RATE_LIMIT_ENABLED: 'false',
    NODE_OPTIONS: `--import=${loader}`,
    TEST_NAMES_FILE: file,
    TEST_NAMES_KEPT_MS: String(keptMs),
  };
  const only = words;
  const mesh = resources.use(await startMesh({ mode: 'separate', only, doubled: words, databaseUrl, env, ownEnv }));
  await Promise.all(words.map((word) => mesh.stop(`${word}-2`)));
  const owned = resources.move();
  return {
    mesh,
    surge: async () => {
      await mesh.restart();
      for (const name of all) ready.add(name);
      await tell([...ready]);
    },
    remove: async (names, preStopMs) => {
      for (const name of names) ready.delete(name);
      await tell([...ready]);
      await delay(preStopMs);
      await Promise.all(names.map((name) => mesh.stop(name)));
      for (const name of names) addresses.set(name, newAddress());
    },
    callsOf: (name) => answeredCalls(opsPorts.get(name) ?? 0, wordOf(name)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function wordOf(name: string): string {
  return name.replace(/-2$/, '');
}

async function answeredCalls(port: number, word: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const counts = text.matchAll(/^agentmesh_rpc_server_duration_seconds_count\{([^}]*)\} (\d+)$/gm);
  return [...counts]
    .filter(([, labels = '']) => labels.includes(`service="${word}"`))
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}
