import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSecrets } from '@agentmesh/lib/service';
import { makeDataDir, startDurablePostgres } from './durable-postgres.ts';
import { freePort, type ServerProcess, startServer } from './server-process.ts';
import type { Candidate } from './target.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const inner = ['auth', 'sessions', 'runs', 'artifacts', 'memory', 'keys', 'transcription', 'webhooks'] as const;

/** Our mesh as `npm start` runs it: one process, embedded PostgreSQL, accounts on. */
export const meshOneProcess: Candidate = {
  name: 'mesh, one process',
  start: () => startMeshOneProcess({}),
};

/** The same with these settings too, and with the files of another checkout. */
export async function startMeshOneProcess(settings: Readonly<Record<string, string>>, tree = root) {
  await using resources = new AsyncDisposableStack();
  const env = { ...(await meshEnv(resources)), ...settings };
  const url = `http://127.0.0.1:${env.PORT}`;
  const server = resources.use(await startMesh(['all'], env, tree));
  const token = await signIn(url);
  return own({ name: 'mesh, one process', url, token, servers: [server] }, resources.move());
}

/** Every service as its own process over gRPC, on one PostgreSQL. */
export const meshSeparate: Candidate = {
  name: 'mesh, separate',
  start: async () => {
    await using resources = new AsyncDisposableStack();
    const database = resources.use(await startDurablePostgres());
    const ports = await Promise.all(inner.map(async (name) => [name, await freePort()] as const));
    const urls = ports.map(([name, port]) => [urlVariable(name), `http://127.0.0.1:${port}`] as const);
    const secrets = makeSecrets([...inner, 'gateway']);
    const identity = (name: string) => ({ MESH_IDENTITY: secrets[`${name.toUpperCase()}_MESH_IDENTITY`] ?? '' });
    const env: MeshEnv = {
      ...(await meshEnv(resources)),
      DATABASE_URL: database.url,
      MESH_IDENTITIES: secrets['MESH_IDENTITIES'] ?? '',
      ...Object.fromEntries(urls),
    };
    const servers = await Promise.all(
      ports.map(async ([name, port]) => {
        const { [urlVariable(name)]: _own, ...others } = env;
        const server = await startMesh([name], { ...others, ...identity(name), MESH_PORT: String(port) });
        return resources.use(server);
      }),
    );
    const gateway = resources.use(await startMesh(['gateway'], { ...env, ...identity('gateway') }));
    const url = `http://127.0.0.1:${env.PORT}`;
    const token = await signIn(url);
    return own({ name: 'mesh, separate', url, token, servers: [...servers, gateway] }, resources.move());
  },
};

interface MeshEnv extends NodeJS.ProcessEnv {
  readonly PORT: string;
}

function urlVariable(name: string): string {
  return `MESH_${name.toUpperCase()}_URL`;
}

async function meshEnv(resources: AsyncDisposableStack): Promise<MeshEnv> {
  const dataDir = resources.adopt(await makeDataDir(), (folder) => rm(folder, { recursive: true, force: true }));
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    OPS_PORT: '0',
    ENCRYPT_KEY: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_ENABLED: 'false',
  };
}

/** Starts services of the checkout `tree` with the Node flags of its `npm start` and of the image. */
function startMesh(names: readonly string[], env: NodeJS.ProcessEnv, tree = root): Promise<ServerProcess> {
  const listens = names.includes('all') || names.includes('gateway');
  return startServer({
    argv: [...serverFlagsOf(tree), join(tree, 'main.ts'), ...names],
    env,
    cwd: tree,
    ...(listens && { readyUrl: `http://127.0.0.1:${env.PORT}/readyz` }),
  });
}

function serverFlagsOf(tree: string): string[] {
  const { config } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8')) as {
    config: { serverFlags: string };
  };
  return config.serverFlags.split(' ');
}

async function signIn(url: string): Promise<string> {
  const name = randomBytes(8).toString('hex');
  const account = { email: `${name}@example.com`, password: randomBytes(16).toString('hex') };
  await post(`${url}/api/users/`, { ...account, first_name: 'Ada', last_name: 'Lovelace' });
  const { access_token: token } = await post(`${url}/api/auth/token`, account);
  if (token === undefined) throw new Error('no access token');
  return token;
}

async function post(url: string, body: object): Promise<{ access_token?: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { access_token?: string };
}

interface Started {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly servers: readonly ServerProcess[];
}

function own({ servers, ...target }: Started, resources: AsyncDisposableStack) {
  const pids = servers.map((server) => server.pid);
  return { ...target, app: 'echo', pids, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
