import { once } from 'node:events';
import { createServer } from 'node:net';

type Environment = Record<string, string | undefined>;

interface Choice {
  readonly portSetting: string;
  readonly hostSetting: string;
  readonly wanted: number;
  readonly purpose: string;
}

const choices: readonly Choice[] = [
  { portSetting: 'PORT', hostSetting: 'HOST', wanted: 8000, purpose: 'the API' },
  { portSetting: 'OPS_PORT', hostSetting: 'OPS_HOST', wanted: 9090, purpose: 'metrics and health' },
];

/** Number of ports after the default one that are tried before any free port is taken. */
const tries = 100;

/** The settings of ports that `env` does not set; `dev` chooses these ports itself. */
export function unsetPorts(env: Environment): string[] {
  return choices.map(({ portSetting }) => portSetting).filter((name) => isBlank(env[name]));
}

/**
 * Sets the named port settings in `env` to free ports: the default port, else one of the next, else any. Returns one line for
 * each that differs from its default.
 */
export async function choosePorts(env: Environment, portSettings: readonly string[]): Promise<string[]> {
  const used = new Set(
    ['PORT', 'OPS_PORT', 'MESH_PORT'].filter((it) => !portSettings.includes(it)).map((it) => Number(env[it])),
  );
  const notes: string[] = [];
  for (const { portSetting, hostSetting, wanted, purpose } of choices) {
    if (!portSettings.includes(portSetting)) continue;
    const host = isBlank(env[hostSetting]) ? '127.0.0.1' : (env[hostSetting] ?? '').trim();
    const port = await findFreePort(host, wanted, used);
    used.add(port);
    env[portSetting] = String(port);
    if (port !== wanted) notes.push(`Port ${wanted} is in use: ${purpose} will be on port ${port} (${portSetting}).`);
  }
  return notes;
}

async function findFreePort(host: string, wanted: number, used: ReadonlySet<number>): Promise<number> {
  for (let port = wanted; port < wanted + tries; port += 1) {
    if (!used.has(port) && (await tryPort(host, port)) !== undefined) return port;
  }
  return (await tryPort(host, 0)) ?? wanted;
}

/** Returns the port if it can be listened on, for port 0 a free one; undefined when it is in use or the host is not of this machine. */
async function tryPort(host: string, port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    const address = server.address();
    return address === null || typeof address === 'string' ? undefined : address.port;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
