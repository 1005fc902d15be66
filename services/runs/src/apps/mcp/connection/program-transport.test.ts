import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { isRunning } from '../../../../test/is-running.ts';
import type { StdioServer } from './mcp-server.ts';
import { ProgramTransport } from './program-transport.ts';

/** A program that starts another one, which holds its pipes, tells its id, and then does `then`. */
const program = (then: string): StdioServer => {
  const message = `'{"jsonrpc":"2.0","method":"started","params":{"pid":'$!'}}'`;
  return { kind: 'stdio', command: 'sh', args: ['-c', `sleep 1000 & echo ${message}; ${then}`], env: {}, timeoutMs: 1 };
};

async function start(then: string): Promise<{ transport: ProgramTransport; pid: number }> {
  const transport = new ProgramTransport(program(then));
  const said = new Promise<JSONRPCMessage>((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.start();
  const message = (await said) as unknown as { params: { pid: number } };
  return { transport, pid: message.params.pid };
}

const untilGone = (pid: number) => vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 30_000 });

test('the processes of a program end with it when the connection is closed', async () => {
  const { transport, pid } = await start('read line');
  expect(isRunning(pid)).toBe(true);
  await transport.close();
  await untilGone(pid);
});

test('a program that does not end is ended with what it has started', async () => {
  const { transport, pid } = await start('trap "" TERM; while :; do sleep 1; done');
  await transport._dispose();
  await untilGone(pid);
});

test('a program that ends by itself closes the connection, whatever it leaves behind', async () => {
  const { transport, pid } = await start('read line; exit 1');
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.send({ jsonrpc: '2.0', method: 'end' });
  await closed;
  await untilGone(pid);
});

test('a program and its processes end with a process that exits without closing', async () => {
  const text = `
    import { ProgramTransport } from ${JSON.stringify(new URL('program-transport.ts', import.meta.url).href)};
    const transport = new ProgramTransport(${JSON.stringify(program('read line'))});
    transport.onmessage = ({ params }) => { console.log(params.pid); process.exit(); };
    await transport.start();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  await once(child, 'close');
  await untilGone(Number(said));
});

/** A process with few descriptors, which takes all before it starts a program, and gives them back before it starts another one. */
const exhausted = `
  import { closeSync, openSync } from 'node:fs';
  import { ProgramTransport } from ${JSON.stringify(new URL('program-transport.ts', import.meta.url).href)};
  const server = { kind: 'stdio', command: 'sh', args: ['-c', 'read line'], env: {}, timeoutMs: 1 };
  const taken = [];
  try { for (;;) taken.push(openSync('/dev/null')); } catch {}
  const first = new ProgramTransport(server);
  const refusal = await first.start().catch(({ code }) => code);
  await first.close();
  for (const descriptor of taken) closeSync(descriptor);
  const second = new ProgramTransport(server);
  await second.start();
  await second.close();
  console.log(refusal);`;

test('a process that has no descriptors left is refused its program, and goes on', async () => {
  const args = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, exhausted];
  const child = spawn('sh', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect([code, said.trim()]).toEqual([0, 'EMFILE']);
});

test('a program that cannot be started is an error', async () => {
  const server: StdioServer = { ...program(''), command: '/nowhere/program' };
  await expect(new ProgramTransport(server).start()).rejects.toThrow('ENOENT');
});
