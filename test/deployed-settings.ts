import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSettings, explain } from '../main.ts';
import { mainOfProduct, plainEnvironment } from './plain-environment.ts';

export type Texts = Readonly<Record<string, string>>;

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the root of the repository. */
export function run(file: string, args: readonly string[], options: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
  const limited = { cwd: root, encoding: 'utf8', timeout: 20_000, ...options } as const;
  const { status, stdout, stderr } = spawnSync(file, args, limited);
  return { ok: status === 0, stdout, stderr };
}

/** Names of all services, sorted, from the usage text of main.ts. */
export const words =
  /^services: (.+)$/m
    .exec(run(process.execPath, [mainOfProduct]).stderr)?.[1]
    ?.split(', ')
    .toSorted() ?? [];

/** Addresses of all services. Nothing listens there. */
export const addresses: Texts = Object.fromEntries(
  words.map((word) => [`MESH_${word.toUpperCase()}_URL`, 'http://127.0.0.1:1']),
);

/** Secrets of separate processes, as `npm start -- identities` prints them. */
export const secrets: Texts = Object.fromEntries(
  run(process.execPath, [mainOfProduct, 'identities'], { env: { DATABASE_URL: 'postgres://postgres:5432/agentmesh' } })
    .stdout.trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/, 2)),
);

/** The service that serves each service of the contracts: its package, by the name in proto, e.g. `AuthService`. */
const servers = new Map(
  globSync('proto/agentmesh/*/v1/*.proto', { cwd: root }).flatMap((file) =>
    Array.from(
      readFileSync(join(root, file), 'utf8').matchAll(/^service (\w+) \{/gm),
      ([, name = '']) => [name, file.split(sep)[2] ?? ''] as const,
    ),
  ),
);

const callSites = globSync('{gateway,services/*}/src/**/*.ts', { cwd: root }).flatMap((file) => {
  const caller = file.split(sep).at(file.startsWith('services') ? 1 : 0) ?? '';
  const clients = readFileSync(join(root, file), 'utf8').matchAll(/\bmesh\.client\((\w+Service)\)/g);
  return Array.from(clients, ([, called = '']) => [caller, servers.get(called) ?? called] as const);
});

/** lib/service records calls of consumers at auth, for each service that they may call. */
const recording = words.flatMap((word) => (['auth', 'gateway'].includes(word) ? [] : [[word, 'auth'] as const]));

/** The calls between services, as pairs `[caller, called]`: every `mesh.client(XService)` in the sources, and what lib/service calls for them, each pair once. */
export const calls = [...new Map([...callSites, ...recording].map((pair) => [pair.join('>'), pair])).values()];

/** Every setting in the tables of docs/settings.md. `<SERVICE>` stands for the name of each service. */
const documented = new Set(
  Array.from(readFileSync(join(root, 'docs', 'settings.md'), 'utf8').matchAll(/^\| ([^|]+) \|/gm))
    .flatMap(([, cell = '']) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name))
    .flatMap((name) => words.map((word) => name.replace('<SERVICE>', word.toUpperCase()))),
);
/** Returns the names that are in no table of docs/settings.md. */
export const undocumented = (names: readonly string[]) => names.filter((name) => !documented.has(name));

/** The error text of `main.ts --check` for an environment; empty when the process would start. */
export function complaint(service: readonly string[], env: Texts): Promise<string> {
  return checkSettings(service, { ...plainEnvironment, ...env }).then(() => '', explain);
}
