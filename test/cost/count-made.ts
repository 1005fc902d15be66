import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

// Loaded before the program (`--import`): counts what its main thread makes between two signals SIGUSR2, and writes the counts to `COUNTS_FILE`.

/** What the main thread has made, by kind. */
export interface Made {
  promises: number;
  /** Timers of all kinds. */
  timers: number;
  abortControllers: number;
}

const file = process.env['COUNTS_FILE'];
if (isMainThread && file !== undefined) countInto(file);

function countInto(path: string): void {
  const made: Made = { promises: 0, timers: 0, abortControllers: 0 };
  let counts = false;
  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') made.promises += 1;
      if (type === 'Timeout' || type === 'Immediate') made.timers += 1;
    },
  });
  const Original = globalThis.AbortController;
  globalThis.AbortController = class extends Original {
    constructor() {
      super();
      if (counts) made.abortControllers += 1;
    }
  };
  process.on('SIGUSR2', () => {
    counts = !counts;
    if (counts) return void hook.enable();
    hook.disable();
    writeFileSync(path, JSON.stringify(made));
  });
}
