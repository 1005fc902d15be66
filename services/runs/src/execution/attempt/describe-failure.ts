import { MeshError } from '@agentmesh/lib/rpc';
import { LimitReached } from '../limits/run-limits.ts';
import { isToolsUnavailable } from '../../apps/mcp/tools-unavailable.ts';
import { isNotContinued } from '../../apps/turns/takeover/run-not-continued.ts';

/** A failure in the form that is stored and sent to the viewer. */
export interface DescribedFailure {
  /** Class of the error. */
  readonly type: string;
  readonly errorCode: string;
  /** Public text. */
  readonly errorMessage: string;
}

const longestMessage = 2_000;

/** Describes the error that stopped an agent loop. The text is public, so that the author of an app can find the mistake. */
export function describeFailure(error: unknown): DescribedFailure {
  if (error instanceof LimitReached) {
    return { type: error.name, errorCode: error.errorCode, errorMessage: error.message };
  }
  if (isNotContinued(error)) return { type: 'RunInterrupted', errorCode: 'INTERRUPTED', errorMessage: error.message };
  if (isToolsUnavailable(error))
    return { type: error.name, errorCode: 'TOOLS_UNAVAILABLE', errorMessage: error.message };
  const errorCode = error instanceof MeshError ? error.reason.toUpperCase() : 'AGENT_ERROR';
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { type: name, errorCode, errorMessage: message.slice(0, longestMessage) };
}
