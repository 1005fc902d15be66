import { type ChildProcess, spawn } from 'node:child_process';

/** Ends the process group of a worker when this process has died, also one whose code loops: a shell waits for the end of a pipe that only this process holds. */
export function endAfterHost({ pid }: ChildProcess): Disposable {
  if (pid === undefined) return { [Symbol.dispose]: () => undefined };
  const script = 'read -r _; kill -s KILL -- "-$1"';
  const watch = spawn('sh', ['-c', script, 'sh', String(pid)], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  // A system without a shell: its code ends with the channel, unless it loops.
  watch.on('error', () => undefined);
  watch.unref();
  return { [Symbol.dispose]: () => void watch.kill('SIGKILL') };
}
