import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { isRunning } from '../../../../../test/is-running.ts';

const host = `
import { spawn } from 'node:child_process';
const { endAfterHost } = await import(process.argv[1]);
const worker = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
endAfterHost(worker);
console.log(worker.pid);
setInterval(() => {}, 1000);
`;

test('a worker ends when its host was killed, whatever its code does', async () => {
  const module = new URL('end-after-host.ts', import.meta.url).href;
  const args = ['--input-type=module', '-e', host, module];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const pid = Number(printed.toString());
  expect(isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 30_000 });
});
