import { AgentMeshError, type Fault } from '@agentmesh/client';
import type { Output } from '../terminal/output.ts';

/** Prints the mistakes in a file that the server refused, each as `file:line:column: key: reason`, and returns an error that counts them. */
export function tellFileMistakes(error: unknown, file: string, output: Output): unknown {
  if (!(error instanceof AgentMeshError) || error.faults.length === 0) return error;
  const { status, code, faults, requestId } = error;
  for (const fault of faults) output.note(lineOf(fault, file));
  const message = `${file} has ${faults.length === 1 ? 'a mistake' : `${faults.length} mistakes`}`;
  return new AgentMeshError({ status, code, message, requestId, faults, cause: error });
}

function lineOf({ loc, msg }: Fault, file: string): string {
  const key = loc.slice(1).join('.');
  const [, place = '', reason = msg] = /^(\d+:\d+): (.*)$/s.exec(msg) ?? [];
  return [[file, place].filter(Boolean).join(':'), key, reason].filter(Boolean).join(': ');
}
