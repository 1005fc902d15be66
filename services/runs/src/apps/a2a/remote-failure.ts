import { AnswerRefused, OutboundError } from '@agentmesh/lib/outbound';
import { MeshError } from '@agentmesh/lib/rpc';

/** A remote agent cannot be used, or ended its task without success. The message is public. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
}

/** The task of a remote agent ended without success: no message can be added to it. */
export class RemoteTaskFailed extends RemoteFailure {}

const longestMessage = 500;

/** Describes why a remote agent could not be used, without addresses, headers or stack traces. */
export function describeRemoteFailure(error: unknown): string {
  let at = error;
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    const isPublic = [OutboundError, RemoteFailure, AnswerRefused, MeshError].some((kind) => at instanceof kind);
    if (isPublic) return at.message.slice(0, longestMessage);
    if (at.name === 'TimeoutError') return 'The remote agent did not answer in time.';
    at = at.cause;
  }
  return 'The remote agent could not be reached, or answered what is not valid.';
}
