import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { homelessEnvironment } from '../../plain-environment.ts';

export const main = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Output so far. */
  readonly written: { out: string; err: string };
}

/** Starts `agentmesh` in a folder, which also keeps its sign-in. */
export function startCommand(folder: string, args: readonly string[], env: Record<string, string>): Running {
  return start(folder, [process.execPath, main, ...args], env);
}

const terminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** Starts `agentmesh` in a terminal of Python, whose keyboard is the stdin of the child. With `input` the command reads a file in place of it. */
export function startInTerminal(
  folder: string,
  args: readonly string[],
  { env, input = '/dev/tty' }: { readonly env: Record<string, string>; readonly input?: string },
): Running {
  const line = ['sh', '-c', 'exec "$0" "$@" < "$INPUT"', process.execPath, main, ...args];
  return start(folder, ['python3', '-c', terminal, ...line], { ...env, INPUT: input });
}

function start(folder: string, [program = '', ...args]: readonly string[], env: Record<string, string>): Running {
  const own = { ...homelessEnvironment, XDG_CONFIG_HOME: folder, AGENTMESH_URL: inject('meshUrl'), ...env };
  const child = spawn(program, args, { env: own, cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] });
  const written = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => (written.out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (written.err += bytes.toString()));
  return {
    child,
    written,
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, ...written })),
  };
}
