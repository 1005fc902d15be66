import { createHook } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Loaded before the program (`--import`): counts what its main thread makes between two signals SIGUSR2, and writes the counts to `COUNTS_FILE`.

/** Numbers of objects that the main thread has made, by kind. */
export interface Made {
  promises: number;
  /** Timers of all kinds. */
  timers: number;
  abortControllers: number;
  /** Protobuf messages, made or parsed. */
  messages: number;
  /** Names of the packages of which files were loaded, since the process began. */
  packages: string[];
}

/** Global function that the library of protobuf calls for each message. */
const onMessage = '__agentmeshMessageMade';

const file = process.env['COUNTS_FILE'];
if (isMainThread && file !== undefined) countInto(file);

function countInto(path: string): void {
  const none = { promises: 0, timers: 0, abortControllers: 0, messages: 0 };
  const made = { ...none };
  const packages = new Set<string>();
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
  Object.assign(globalThis, { [onMessage]: () => void (made.messages += counts ? 1 : 0) });
  registerHooks({
    load(url, context, next) {
      packages.add(packageOf(url));
      return withCounter(url, next(url, context));
    },
  });
  process.on('SIGUSR2', () => {
    counts = !counts;
    if (counts) {
      Object.assign(made, none);
      return void hook.enable();
    }
    hook.disable();
    const counted: Made = { ...made, packages: [...packages] };
    writeFileSync(path, JSON.stringify(counted));
  });
}

function packageOf(url: string): string {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? '';
}

/** The module, with a call of the counter where the library makes the object of a message, nested ones too. */
function withCounter<Loaded extends { source?: unknown }>(url: string, loaded: Loaded): Loaded {
  if (!url.endsWith('/@bufbuild/protobuf/dist/esm/create.js')) return loaded;
  const before = String(loaded.source);
  const source = before.replace('return (init) => {', `$& globalThis.${onMessage}();`);
  if (source === before) throw new Error('The library of protobuf makes messages in another place now.');
  return { ...loaded, source };
}
