import { createHash } from 'node:crypto';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';

/** A run by all its names. Invocation ids are unique only in their session. */
export interface RunName extends Pick<SessionKey, 'appName' | 'userId' | 'sessionId'> {
  readonly invocationId: string;
}

/** SHA-256 of a run's names. */
export function hashOfRun({ appName, userId, sessionId, invocationId }: RunName): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([appName, userId, sessionId, invocationId]))
    .digest();
}
