import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDurablePostgres } from './durable-postgres.ts';
import { freePort, startServer } from './server-process.ts';
import type { Candidate, Target } from './target.ts';

const folder = fileURLToPath(new URL('../../../node_modules/.cache/bench-peers', import.meta.url));
const program = join(folder, 'node_modules/@google/adk-devtools/dist/esm/cli_entrypoint.js');
const ormVersion = '6.6.16';
const ormPackages = ['core', 'knex', 'reflection', 'postgresql', 'mariadb', 'mssql', 'mysql', 'sqlite'];

/** Version override: adk-devtools asks for `^6.6.6` of an ORM whose later versions are not compatible with each other. */
const manifest = {
  private: true,
  type: 'module',
  dependencies: {
    '@google/adk': '2.0.0',
    '@google/adk-devtools': '2.0.0',
    '@mikro-orm/postgresql': ormVersion,
  },
  overrides: Object.fromEntries(ormPackages.map((name) => [`@mikro-orm/${name}`, ormVersion])),
};

/** An agent that does the same work as our echo agent: an LlmAgent whose model answers at once with one fixed text. */
const agent = `import { BaseLlm, LlmAgent } from '@google/adk';

class FixedAnswer extends BaseLlm {
  constructor() {
    super({ model: 'fixed-answer' });
  }

  async *generateContentAsync() {
    yield { content: { role: 'model', parts: [{ text: 'Hello, mesh' }] }, finishReason: 'STOP' };
  }

  async connect() {
    throw new Error('this model has no live connection');
  }
}

export const rootAgent = new LlmAgent({ name: 'noop', model: new FixedAnswer() });
`;

/** Installs the peers under node_modules/.cache, unless they are there. The first time needs the npm registry. */
export function installPeers(say: (text: string) => void): void {
  const text = JSON.stringify(manifest, null, 2);
  const stamp = createHash('sha256').update(text).digest('hex');
  const stampFile = join(folder, '.install-stamp');
  write('package.json', text);
  write('agents/package.json', '{ "type": "module" }');
  write('agents/noop/agent.js', agent);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('installing the peer @google/adk-devtools 2.0.0 (about a minute, once)');
  rmSync(stampFile, { force: true });
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('the peer could not be installed, see above');
  writeFileSync(stampFile, stamp);
}

function write(file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** The peer with its sessions in memory. */
export const adkMemory: Candidate = {
  name: 'adk-js memory',
  start: () => startPeer('adk-js memory', 'memory://'),
};

/** The peer with its sessions in a new PostgreSQL that has the same settings as ours. */
export const adkPostgres: Candidate = {
  name: 'adk-js postgres',
  start: async () => {
    await using resources = new AsyncDisposableStack();
    const database = resources.use(await startDurablePostgres());
    const peer = resources.use(await startPeer('adk-js postgres', database.url));
    const owned = resources.move();
    return { ...peer, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  },
};

async function startPeer(name: string, sessions: string): Promise<Target> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const flags = ['-h', '127.0.0.1', '-p', String(port), '--log_level', 'error', '--session_service_uri', sessions];
  const peer = await startServer({
    argv: [program, 'api_server', ...flags, join(folder, 'agents')],
    env: { ...process.env, NODE_ENV: 'production', ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'false' },
    cwd: folder,
    readyUrl: `${url}/list-apps`,
  });
  return { name, url, app: 'noop', pids: [peer.pid], [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() };
}
