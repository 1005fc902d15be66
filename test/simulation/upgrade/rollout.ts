import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestNats } from '@agentmesh/lib/bus/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { vi } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { agentsDir, startMesh } from '../../mesh.ts';
import { natsEnvironmentsOf, startDeployedNats } from '../../nats.ts';
import { prepareLogins } from '../../prepare-logins.ts';
import { runMain } from '../../start/run-main.ts';
import { BalancedCaller, LoadBalancer } from './balanced-caller.ts';
import { makeNextRelease } from './next-release.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** `this`: the release that runs at the beginning. */
type Release = 'next' | 'this';

/** A mesh of separate processes, whose parts are those of this release or of the next one. */
export interface Rollout extends AsyncDisposable {
  /** An account whose requests go to the gateways that are in service in turn. */
  readonly caller: Caller;
  /** The same, without an account. */
  readonly newCaller: () => Caller;
  /** Lines that the processes have written. */
  readonly lines: readonly string[];
  /** Gives the server of NATS the users of a release. */
  readonly useNats: (release: Release) => Promise<void>;
  /** Runs `migrate` of a release, for all services or for some. */
  readonly migrate: (release: Release, words?: readonly string[]) => Promise<void>;
  /** Replaces one process after the other, those of all services that have two or of some. Gateways get no requests while they are away. `betweenMs`: time for which a new process stands beside the former one. */
  readonly replace: (release: Release, words?: readonly string[], betweenMs?: number) => Promise<void>;
  /** Names of processes that ended by themselves. */
  readonly crashed: readonly string[];
}

interface RolloutOptions {
  /** Services that run, without the gateway. */
  readonly words: readonly string[];
  /** Those with two processes, in the order in which they are replaced. The others stay as they are. */
  readonly doubled: readonly string[];
  readonly databaseUrl: string;
  /** Program of a NATS server; absent: PostgreSQL carries the messages. */
  readonly natsServer?: string | undefined;
  /** The services that the next release changes. `none`: processes are replaced by others of this release. Default: `all`. */
  readonly next?: 'all' | 'memory' | 'none';
  /** Settings of the processes of a service that differ, asked at each start; also those with which `migrate` finds its login. */
  readonly envOf?: (word: string) => Record<string, string>;
}

export async function startRollout(options: RolloutOptions): Promise<Rollout> {
  await using resources = new AsyncDisposableStack();
  const { words, doubled, databaseUrl, envOf = () => ({}) } = options;
  const folders = await foldersOf(options, resources);
  const loginOf = await prepareLogins(databaseUrl, folders.this);
  const bus = await startBus(options, { root: folders.this, resources });
  const [port = 0] = await freePorts(1);
  const releases = new Map<string, Release>();
  const mesh = resources.use(
    await startMesh({
      mode: 'separate',
      only: words,
      doubled,
      databaseUrl,
      env: {
        AGENTS_DIR: agentsDir,
        RUNS_APPS: 'echo,agent*',
        SHUTDOWN_GRACE_SECONDS: '5',
        RATE_LIMIT_ENABLED: 'false',
      },
      ownEnv: (name) => {
        const word = name.replace(/-2$/, '');
        return {
          ...loginOf(word),
          ...bus?.envOf(word),
          ...envOf(word),
          ...(name === 'gateway-2' && { PORT: String(port) }),
        };
      },
      rootOf: (name) => folders[releases.get(name) ?? 'this'],
    }),
  );
  const balancer = new LoadBalancer();
  balancer.add('gateway', mesh.url);
  if (doubled.includes('gateway')) balancer.add('gateway-2', `http://127.0.0.1:${port}`);
  const replaceOne = async (name: string, release: Release): Promise<void> => {
    const address = balancer.remove(name);
    if (address !== undefined) await vi.waitUntil(() => balancer.underWay(address) === 0, { timeout: 60_000 });
    await mesh.stop(name);
    releases.set(name, release);
    await mesh.restart();
    if (address !== undefined) balancer.add(name, address);
  };
  const newCaller = (): Caller => new BalancedCaller(balancer);
  const caller = await newAccount('', newCaller());
  const owned = resources.move();
  return {
    caller,
    newCaller,
    lines: mesh.lines,
    crashed: mesh.crashed,
    useNats: async (release) => bus?.use(folders[release]),
    migrate: async (release, some = words) => {
      const logins = words.map((word) => {
        const { DATABASE_URL: url } = { ...loginOf(word), ...envOf(word) };
        return [`${word.toUpperCase()}_DATABASE_URL`, url];
      });
      const env = { ...(Object.fromEntries(logins) as Record<string, string>), DATABASE_URL: databaseUrl };
      const { code, output } = await runMain(['migrate', ...some], env, folders[release]);
      if (code !== 0) throw new Error(output);
    },
    replace: async (release, some = doubled, betweenMs = 0) => {
      for (const name of some.flatMap((word) => [word, `${word}-2`])) {
        await replaceOne(name, release);
        await delay(betweenMs);
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Folder of the sources of the release before, with its packages. Without it, this release is upgraded to one that is made up. */
export const releaseBefore = process.env.RELEASE_BEFORE;

async function foldersOf(
  { next: of = 'all' }: RolloutOptions,
  resources: AsyncDisposableStack,
): Promise<Record<Release, string>> {
  if (of === 'none') return { this: repository, next: repository };
  if (releaseBefore !== undefined) return { this: releaseBefore, next: repository };
  const next = await mkdtemp(join(tmpdir(), 'next-release-'));
  resources.defer(() => rm(next, { recursive: true, force: true }));
  await makeNextRelease(repository, next, of);
  return { this: repository, next };
}

interface Place {
  /** Folder of the release that begins. */
  readonly root: string;
  readonly resources: AsyncDisposableStack;
}

/** Starts a server of NATS with the users of a release. */
async function startBus({ natsServer }: RolloutOptions, { root: first, resources }: Place) {
  if (natsServer === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'running-nats-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'server.conf');
  const copy = (root: string) => copyFile(join(root, 'deploy', 'nats', 'server.conf'), config);
  await copy(first);
  const nats: TestNats = resources.use(await startDeployedNats(natsServer, config));
  return {
    envOf: natsEnvironmentsOf(nats),
    use: async (root: string) => {
      await copy(root);
      await nats.reload();
    },
  };
}
