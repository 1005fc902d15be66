import { MeshError } from '@agentmesh/lib/rpc';
import { AttemptStopped } from './attempt-stopped.ts';

/** What is stored of a failure, and what a viewer is told. */
export interface DescribedFailure {
  /** Class of the error. */
  readonly type: string;
  readonly errorCode: string;
  /** Public text. */
  readonly errorMessage: string;
}

const longestMessage = 2_000;

/** Describes what stopped an agent loop. Its text is shown: the author of an app finds a mistake in it by that. */
export function describeFailure(error: unknown): DescribedFailure {
  if (error instanceof AttemptStopped) {
    return { type: 'RunInterrupted', errorCode: 'SHUTDOWN', errorMessage: error.message };
  }
  const errorCode = error instanceof MeshError ? error.reason.toUpperCase() : 'AGENT_ERROR';
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { type: name, errorCode, errorMessage: message.slice(0, longestMessage) };
}
