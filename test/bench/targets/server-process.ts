import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const readyTimeoutMs = 60_000;
const pollMs = 50;

export interface ServerOptions {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** URL that answers 200 when the server is ready. Absent: the process counts as ready once it has been started. */
  readonly readyUrl?: string;
}

export interface ServerProcess extends AsyncDisposable {
  readonly pid: number;
}

/** Starts a Node program and waits until it is ready. Dispose sends SIGTERM and waits for the exit. Errors contain the last output. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { argv, env, cwd, readyUrl } = options;
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lastWords = tailOf(child);
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  try {
    if (readyUrl !== undefined) await untilReady(child, readyUrl);
  } catch (error) {
    await stop();
    throw new Error(`${argv.join(' ')}: ${String(error)}\n${lastWords()}`, { cause: error });
  }
  return { pid: child.pid ?? 0, [Symbol.asyncDispose]: stop };
}

function tailOf(child: ChildProcess): () => string {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-4000);
    });
  }
  return () => tail;
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('ended before it was ready');
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
    await sleep(pollMs);
  }
  throw new Error(`not ready after ${readyTimeoutMs} ms`);
}

/** Returns a TCP port of 127.0.0.1 that was just free. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** Sum of the resident memory of the processes, in MB. */
export function residentMb(pids: readonly number[]): number {
  const sizes = pids.map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return sizes.reduce<number>((sum, kb) => sum + Number(kb) / 1024, 0);
}

const ticksPerSecond = 100;

/** Sum of the CPU time that the processes have used, in seconds. */
export function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const [user = 0, system = 0] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '')
      .split(' ')
      .slice(11, 13);
    return Number(user) + Number(system);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond;
}
