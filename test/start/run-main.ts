import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { mainOfProduct, plainEnvironment } from '../plain-environment.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  code: number | null;
  output: string;
}

/** Runs `main.ts` with only this environment, to its end: that of this repository, or of another folder. */
export async function runMain(args: string[], env: Record<string, string>, cwd = root): Promise<Ended> {
  const main = cwd === root ? mainOfProduct : 'main.ts';
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...plainEnvironment, ...env },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: Buffer.concat(output).toString() };
}

/** Keeps a port busy until it is disposed; port 0 takes any. A port that another program has is busy already. */
export async function occupy(wanted: number): Promise<AsyncDisposable & { port: number }> {
  const server = createServer().listen(wanted, '127.0.0.1');
  const port = await once(server, 'listening').then(
    () => (server.address() as { port: number }).port,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return wanted;
      throw error;
    },
  );
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await once(server.close(), 'close');
    },
  };
}
