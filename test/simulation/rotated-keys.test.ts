import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { Caller, newAccount } from '../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';

const isFull = process.env['VERIFY'] === 'full';
const [former, next] = ['ENCRYPT_KEY', `2026a:${'k'.repeat(44)}`];

/** Two replicas of the whole mesh on one database, behind what a load balancer does: a replica gets no requests from before it stops until it is ready again. */
async function openReplicas(resources: AsyncDisposableStack) {
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  let keys = former;
  const ownEnv = () => ({ TOKEN_SIGNING_KEYS: keys });
  const start = async (): Promise<TestMesh> =>
    resources.use(await startMesh({ mode: 'all', databaseUrl, env: { AGENTS_DIR: agentsDir }, ownEnv }));
  const replicas = [await start(), await start()];
  const open = new Set(replicas);
  const using = new Map<TestMesh | undefined, number>();
  let turn = 0;
  /** Does some requests with one of the replicas that are open. */
  const at = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
    const replica = [...open][(turn += 1) % open.size];
    using.set(replica, (using.get(replica) ?? 0) + 1);
    return work(replica?.url ?? '').finally(() => using.set(replica, (using.get(replica) ?? 0) - 1));
  };
  const setKeys = async (changed: string): Promise<void> => {
    keys = changed;
    for (const replica of replicas) {
      open.delete(replica);
      await expect.poll(() => using.get(replica) ?? 0).toBe(0);
      await replica.stop('all');
      await replica.restart();
      open.add(replica);
    }
  };
  return { at, setKeys };
}

/** The key that a token names. */
function keyOf(token = ''): string {
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid?: string };
  return header.kid ?? 'ENCRYPT_KEY';
}

test.runIf(isFull)(
  'keys that sign tokens are replaced while requests go on: none fails, and no sign-in ends',
  { timeout: 600_000 },
  async () => {
    await using resources = new AsyncDisposableStack();
    const { at, setKeys } = await openReplicas(resources);
    const early = (await at(newAccount)).token;
    const statuses = new Map<string, number>();
    const signedBy = new Set<string>();
    let isOver = false;
    const client = async (): Promise<void> => {
      for (let n = 0; !isOver; n += 1) {
        // Every twentieth request is one of a new account, whose token the present key signs.
        const token = n % 20 === 19 ? (await at(newAccount)).token : early;
        signedBy.add(keyOf(token));
        const status = await at(async (url) => {
          const caller = new Caller(url, token);
          return (await caller.run(await caller.createSession(), 'hello')).status;
        });
        statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1);
      }
    };
    const clients = Promise.all(Array.from({ length: 4 }, client));
    await Promise.race([clients, setKeys(`${former},${next}`).then(() => setKeys(`${next},${former}`))]);
    const later = await at(newAccount);
    expect(keyOf(later.token)).toBe('2026a');
    await expect.poll(() => [...signedBy]).toEqual(['ENCRYPT_KEY', '2026a']);
    isOver = true;
    await clients;
    expect([...statuses.keys()]).toEqual(['200']);
    // The last step, when what the former key has signed is over: it verifies nothing any more.
    await setKeys(next);
    const statusOf = (token?: string) =>
      at(async (url) => (await new Caller(url, token).request('GET', '/api/users/me')).status);
    expect([await statusOf(early), await statusOf(later.token)]).toEqual([401, 200]);
  },
);
