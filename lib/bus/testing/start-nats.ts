import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePorts } from '../../rpc/testing/index.ts';

const readyMs = 60_000;

/** A real NATS server with JetStream, on a port of its own. */
export interface TestNats extends AsyncDisposable {
  readonly url: string;
  /** Sends SIGKILL, and waits for the end of the process. */
  kill(): Promise<void>;
  /** Starts it again, on the same port, with what it has stored. */
  start(): Promise<void>;
  /** Removes what it has stored. Call it between `kill` and `start`. */
  wipe(): Promise<void>;
  /** Stops the process without ending it: connections stay open and nothing is answered. */
  freeze(): void;
  /** Lets a frozen process go on. */
  thaw(): void;
  /** Has it read its configuration file again, and waits until it has. */
  reload(): Promise<void>;
}

export interface TestNatsOptions {
  /** Path of the server: see findNatsServer. */
  readonly server: string;
  /** A configuration file. Without it everybody may do everything. */
  readonly config?: string;
  /** Environment variables that the configuration reads. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a NATS server. It stores in a new temporary folder, which is removed when it is disposed. */
export async function startNats({ server, config, env = {} }: TestNatsOptions): Promise<TestNats> {
  const folder = await mkdtemp(join(tmpdir(), 'nats-'));
  const store = join(folder, 'store');
  const [port] = await freePorts(1);
  const configured = config === undefined ? [] : ['-c', config];
  const args = [...configured, '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store];
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(server, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
    await untilSaid(child, 'Server is ready');
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    start,
    wipe: () => rm(store, { recursive: true, force: true }),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    reload: async () => {
      if (child === undefined) return;
      const reloaded = untilSaid(child, 'Reloaded server configuration');
      child.kill('SIGHUP');
      await reloaded;
    },
    [Symbol.asyncDispose]: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function untilSaid(child: ChildProcess, text: string): Promise<void> {
  const lines: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`nats-server did not say ${text}:\n${lines.join('\n')}`)), readyMs);
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (lines.length < 100) lines.push(line);
      if (line.includes(text)) resolve();
    });
  }
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}:\n${lines.join('\n')}`)));
  return promise.finally(() => clearTimeout(timer));
}
