import { Worker } from 'node:worker_threads';

/** Runs beside the code, so that a loop there cannot keep the process alive when the host has died. */
const watch = `
const host = process.ppid;
setInterval(() => { if (process.ppid !== host) process.kill(-process.pid, 'SIGKILL'); }, 1000);
`;

/** Ends this process, and those that the code has started, when the host is gone. */
export function endWithHost(): void {
  process.on('disconnect', () => process.kill(-process.pid, 'SIGKILL'));
  new Worker(watch, { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
}
