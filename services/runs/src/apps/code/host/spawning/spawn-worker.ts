import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from '@agentmesh/lib/telemetry';
import { tracedFlag } from '../../protocol.ts';
import type { CodeConfig } from '../code-settings.ts';
import { moduleFolders } from './module-folders.ts';
import { userNamespace } from './user-namespace.ts';
import { workerEntry } from './worker-entry.ts';
import { readWorkerRights, type WorkerRights } from './worker-rights.ts';

/** Part of the memory that may be JavaScript's heap; buffers, code and stacks take the rest. */
const heapPart = 0.75;

/** Limits of the process that runs the code of an app. */
export interface Walls {
  readonly rights: WorkerRights;
  /** Files and folders that it may read. */
  readonly readable: readonly string[];
  /** Program with arguments that starts Node; empty: Node itself. */
  readonly command: readonly string[];
}

let isTold = false;

/** The walls of the app in a folder. Throws AppFilesError with the mistakes of its author. Tells once which wall the system does not allow. */
export async function wallsOf(folder: string, { env }: CodeConfig, log: Logger): Promise<Walls> {
  const rights = await readWorkerRights(folder, env);
  const [modules, command] = await Promise.all([moduleFolders(folder), userNamespace(folder)]);
  if (command.length === 0 && !isTold) {
    isTold = true;
    log.warn(
      'code of apps has no user namespace of its own here: programs that it may start can read what this process can',
    );
  }
  return { rights, readable: [folder, ...modules, ...rights.read, ...rights.write], command };
}

/** Starts the process of a worker in the app's folder, without the environment and the flags of this one. It leads a process group. */
export function spawnWorker(
  folder: string,
  { memoryMb, isTraced }: CodeConfig,
  { rights, readable, command }: Walls,
): ChildProcess {
  const [program, ...args] = [...command, process.execPath];
  return fork(workerEntry, isTraced ? [tracedFlag] : [], {
    cwd: folder,
    detached: true,
    env: { ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS: 'false', ...rights.env },
    ...(program !== undefined && { execPath: program }),
    execArgv: [
      ...args,
      `--max-old-space-size=${Math.floor(memoryMb * heapPart)}`,
      // V8 would take up to 32 MB more for young objects.
      '--max-semi-space-size=4',
      // Threads are never allowed: a new one may leave the permissions behind.
      '--permission',
      ...readable.map((path) => `--allow-fs-read=${path}`),
      ...rights.write.map((path) => `--allow-fs-write=${path}`),
      ...(rights.childProcesses ? ['--allow-child-process'] : []),
      ...(rights.addons ? ['--allow-addons'] : []),
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
    ],
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}
