import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { collectWhenIdle } from '@agentmesh/lib/heap';
import {
  checkProcess,
  ListenError,
  makeConsumer,
  makeSecrets,
  migrate,
  type MeshProcess,
  parseSettings,
  printRoles,
  processSettings,
  replayDeadLetters,
  runCommand,
  type Service,
  SettingsError,
  signToken,
  startProcess,
  verifyRestore,
} from '@agentmesh/lib/service';

/** All services of the mesh by name, in the order in which they start. No other file lists them. */
const services: Record<string, () => Promise<Service>> = {
  auth: async () => (await import('@agentmesh/auth')).auth,
  sessions: async () => (await import('@agentmesh/sessions')).sessions,
  runs: async () => (await import('@agentmesh/runs')).runs,
  artifacts: async () => (await import('@agentmesh/artifacts')).artifacts,
  memory: async () => (await import('@agentmesh/memory')).memory,
  keys: async () => (await import('@agentmesh/keys')).keys,
  transcription: async () => (await import('@agentmesh/transcription')).transcription,
  webhooks: async () => (await import('@agentmesh/webhooks')).webhooks,
  gateway: async () => (await import('@agentmesh/gateway')).gateway,
};

const usage = `usage: npm start -- [all | <service>...] [--check | --replay | --reencrypt]
       npm start -- validate <folder>
       npm start -- identities [<service>...]
       npm start -- identities --consumer <name> --methods <service.Method,...> --accounts <uuid,...|*>
       npm start -- token <service>...
       npm start -- migrate [<service>...] [--print-sql]
       npm start -- verify-restore
services: ${Object.keys(services).join(', ')}
--check checks the settings and starts nothing
validate checks the apps of a folder and starts nothing
identities prints new secrets of all services, or of the named ones, for separate processes, or of a consumer: a program outside of the mesh
token prints a token for these services, signed with MESH_IDENTITY, that is valid for five minutes
migrate prepares the database and the login of each <SERVICE>_DATABASE_URL, or those of the named services
--print-sql prints the SQL that an administrator runs where the login of migrate may not create roles
verify-restore compares a restored database with the rights, messages and payloads that belong to it, and changes nothing
--replay has the dead letters of the named services delivered again
--reencrypt encrypts again, beside the running mesh, what the named services have stored under ENCRYPT_KEY_PREVIOUS`;

/** Starts the named services, or `all`, in this process with the settings of `env`. `signal` ends a start that still waits. */
async function runMesh(names: readonly string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<MeshProcess> {
  return startProcess({ ...(await target(names, env)), ...(signal !== undefined && { signal }) });
}

async function target(names: readonly string[], env: NodeJS.ProcessEnv) {
  const words = Object.keys(services);
  const wanted = names.includes('all') ? words : words.filter((word) => names.includes(word));
  const unknown = names.filter((name) => name !== 'all' && !words.includes(name));
  if (unknown.length > 0 || wanted.length === 0) throw new UsageError(unknown);
  const loaded = await Promise.all(wanted.map(async (word) => services[word]?.()));
  return { services: loaded.filter((service) => service !== undefined), words, env };
}

class UsageError extends Error {
  constructor(unknown: readonly string[], kind = 'service') {
    super(unknown.length > 0 ? `unknown ${kind}: ${unknown.join(', ')}\n${usage}` : usage);
  }
}

class StoppedError extends Error {
  constructor() {
    super('stopped while it was starting');
  }
}

const refusals: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its file system is read-only',
  ENOTDIR: 'a part of its path is no folder',
  EEXIST: 'a part of its path is no folder',
  ENOSPC: 'there is no space left',
};

/** The sentence for a DATA_DIR that this process cannot write to; undefined for another error. */
function refusalOfFolder(error: unknown): string | undefined {
  const { code = '', path = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const dataDir = resolve(process.env['DATA_DIR'] ?? '.data');
  const isIts = path !== '' && (path.startsWith(dataDir) || dataDir.startsWith(path));
  if (refusals[code] === undefined || !isIts) return undefined;
  return `DATA_DIR: ${dataDir} cannot be used: ${refusals[code]}. Let this process write there, or name another folder.`;
}

/** The text that is printed when the process cannot start: no stack trace for mistakes of the operator. */
export function explain(error: unknown): string {
  const isMistake =
    error instanceof SettingsError ||
    error instanceof UsageError ||
    error instanceof ListenError ||
    error instanceof StoppedError;
  if (isMistake) return error.message;
  const refusal = refusalOfFolder(error);
  if (refusal !== undefined) return refusal;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main(args: readonly string[]): Promise<void> {
  const [first, folder] = args;
  if (first === 'validate') return validateApps(folder);
  const names = args.filter((arg) => !arg.startsWith('--'));
  if (names[0] === 'migrate') return migrateNamed(names.slice(1), { isPrinted: args.includes('--print-sql') });
  if (names[0] === 'verify-restore') return verifyAll();
  if (names[0] === 'identities')
    return args.includes('--consumer') ? printConsumer(args) : printIdentities(names.slice(1));
  if (names[0] === 'token') return printToken(names.slice(1));
  if (args.includes('--check')) {
    for (const weakness of await checkSettings(names, process.env)) console.error(`warning: ${weakness}`);
    console.log('settings are good');
    return;
  }
  const command = args.find((arg) => arg.startsWith('--'))?.slice('--'.length);
  if (command !== undefined) return commandOf(names, command);
  const stopped = untilStopped();
  const mesh = await startMesh(names, stopped);
  mesh.log.info({ address: mesh.address, meshPort: mesh.meshPort }, 'ready');
  await stopped;
  mesh.log.info('stopping');
  await mesh[Symbol.asyncDispose]();
}

/** Checks the apps of a folder. A mistake in one makes the exit code 1. */
async function validateApps(folder: string | undefined): Promise<void> {
  if (folder === undefined) throw new UsageError([]);
  const { validate } = await import('@agentmesh/runs');
  const isGood = await validate(folder, process.env, (line) => console.log(line)).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) throw error;
    console.log(`${folder}: cannot be read (${code})`);
    return false;
  });
  process.exit(isGood ? 0 : 1);
}

/** Throws SettingsError, naming every bad variable, when the named services, or `all`, could not start with this environment. Returns the weaknesses of the others. */
export async function checkSettings(names: readonly string[], env: NodeJS.ProcessEnv): Promise<string[]> {
  return checkProcess(await target(names, env));
}

interface MigrateOptions {
  /** True: prints the SQL that does a part of it, and changes nothing. */
  readonly isPrinted?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  readonly print?: (line: string) => void;
}

/** Prepares the database of separate processes, for all services when none is named. */
export async function migrateNamed(
  names: readonly string[],
  { isPrinted = false, env = process.env, print = (line) => console.log(line) }: MigrateOptions = {},
): Promise<void> {
  checkNames(names);
  const { services: all } = await target(['all'], env);
  const only = names.length > 0 ? names : Object.keys(services);
  const options = { services: all, only, env, print };
  if (isPrinted) return printRoles(options);
  await migrate(options);
}

/** Looks at a restored database and at what belongs to it. A fault makes the exit code 1. */
async function verifyAll(): Promise<void> {
  const { services: all } = await target(['all'], process.env);
  const isWhole = await verifyRestore({ services: all, env: process.env, print: (line) => console.log(line) });
  process.exit(isWhole ? 0 : 1);
}

function checkNames(names: readonly string[]): void {
  const unknown = names.filter((name) => !Object.hasOwn(services, name));
  if (unknown.length > 0) throw new UsageError(unknown);
}

/** Prints secrets as lines of a dotenv file: of all services when none is named. */
async function printIdentities(names: readonly string[]): Promise<void> {
  checkNames(names);
  const words = Object.keys(services);
  const url = process.env['DATABASE_URL']?.trim();
  const secrets = makeSecrets(names.length > 0 ? names : words, url === '' ? undefined : url);
  for (const [name, value] of Object.entries(secrets)) console.log(`${name}=${value}`);
}

/** Prints the secret of a new consumer and its grant as lines of a dotenv file. */
function printConsumer(args: readonly string[]): void {
  const text = { type: 'string' } as const;
  const options = { consumer: text, methods: text, accounts: text };
  const { values } = parseArgs({ args: args.filter((arg) => arg !== 'identities'), options });
  const { consumer = '', methods = '', accounts = '' } = values;
  const made = makeConsumer({ name: consumer, methods: methods.split(','), accounts: accounts.split(',') });
  for (const [name, value] of Object.entries(made)) console.log(`${name}=${value}`);
}

async function printToken(names: readonly string[]): Promise<void> {
  if (names.length === 0) throw new UsageError([]);
  checkNames(names);
  const { MESH_IDENTITY: own } = parseSettings({ MESH_IDENTITY: processSettings.MESH_IDENTITY }, process.env);
  console.log(await signToken(own, names));
}

/** Most time in which a start has to end after a signal, in milliseconds. */
const abandonMs = 10_000;

/**
 * Starts services until `stopped` resolves. Then a start that waits for something, e.g. for another process to stop, ends with an error;
 * one that does not end in 10 s ends the process.
 */
export async function startMesh(names: readonly string[], stopped: Promise<void>): Promise<MeshProcess> {
  const abandoned = new AbortController();
  using starting = new DisposableStack();
  void stopped.then(() => {
    if (starting.disposed) return;
    abandoned.abort(new StoppedError());
    starting.adopt(
      setTimeout(() => process.exit(130), abandonMs),
      clearTimeout,
    );
  });
  const mesh = await runMesh(names, process.env, abandoned.signal);
  collectWhenIdle();
  return mesh;
}

/** Runs a command of the named services that have it. */
async function commandOf(names: readonly string[], command: string): Promise<void> {
  const { services: named } = await target(names, process.env);
  const print = (line: string): void => console.log(line);
  if (command === 'replay') {
    for (const { name } of named) await replayDeadLetters({ service: name, env: process.env, print });
    return;
  }
  const having = named.filter(({ commands = [] }) => commands.includes(command));
  if (having.length === 0) throw new UsageError([`--${command}`], 'option');
  const { createReseal } = await import('@agentmesh/keys');
  const reseal = () => createReseal(process.env);
  for (const service of having) await runCommand({ service, command, env: process.env, print, reseal });
}

/**
 * Signals within this time of the first count as the same request. A terminal sends a signal to the whole process group, and npm
 * passes its own copy on.
 */
const sameRequestMs = 1_000;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP, which a terminal sends when its window is closed. A later signal, not part of the first request, ends the process at once. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const stop = (): void => {
      askedAt ??= performance.now();
      if (performance.now() - askedAt > sameRequestMs) process.exit(130);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
    // Code of apps may send signals. Node would open its debugger, which reads the keys and the memory of this process.
    process.on('SIGUSR1', () => undefined);
  });
}

if (import.meta.main) {
  await main(process.argv.slice(2)).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(explain(error));
      process.exit(1);
    },
  );
}
