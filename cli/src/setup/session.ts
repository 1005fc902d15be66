import { AgentMesh } from '@agentmesh/client';
import type { Command } from 'commander';
import { loginAt } from '../terminal/advice.ts';
import { UsageError } from '../terminal/exit-code.ts';
import { createOutput, type Output } from '../terminal/output.ts';
import { readCredentials } from './credentials.ts';

/** Surroundings of a command. */
export interface Session {
  readonly mesh: AgentMesh;
  readonly output: Output;
  readonly url: string;
}

interface GlobalOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** The client and the output for the options of a command. Throws UsageError without a token, unless none is needed. */
export function sessionOf(command: Command, { needsToken = true } = {}): Session {
  const { url: wanted, json = false } = command.optsWithGlobals<GlobalOptions>();
  const { url, token } = readCredentials(wanted);
  if (token === undefined && needsToken)
    throw new UsageError(`Nobody is signed in at ${url}. Type: ${loginAt(wanted)}, or set AGENTMESH_TOKEN.`);
  return { mesh: new AgentMesh({ url, token: token ?? (() => undefined) }), output: createOutput(json), url };
}
