import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CodeConfig } from './code-settings.ts';

const main = fileURLToPath(new URL('../worker/main.ts', import.meta.url));
/** Variables that programs need and that are no secrets. */
const plain =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|SSL_CERT_(FILE|DIR)|https?_proxy|no_proxy)$/i;
/** Part of the memory that may be JavaScript's heap; buffers, code and stacks take the rest. */
const heapPart = 0.75;

/** Starts the process of a worker in the app's folder, without the environment and the flags of this one. It leads a process group. */
export function spawnWorker(folder: string, { env, memoryMb }: CodeConfig): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => plain.test(name));
  return fork(main, [], {
    cwd: folder,
    detached: true,
    env: { ...Object.fromEntries(inherited), ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'false', ...env },
    execArgv: [
      `--max-old-space-size=${Math.floor(memoryMb * heapPart)}`,
      // V8 would take up to 32 MB more for young objects.
      '--max-semi-space-size=4',
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
