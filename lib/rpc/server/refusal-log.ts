import type { Logger } from '../../telemetry/index.ts';
import type { MeshError } from '../call/index.ts';

const quietMs = 10_000;

/**
 * Returns a function that logs refused identities, each text once in 10 s, and returns the error. The texts are few: they name only
 * services that are known.
 */
export function createRefusalLog(log: Logger): (error: MeshError, call: { getPeer(): string }) => MeshError {
  const quietUntil = new Map<string, number>();
  return (error, call) => {
    const now = performance.now();
    if (error.reason !== 'mesh_identity' || (quietUntil.get(error.message) ?? 0) > now) return error;
    quietUntil.set(error.message, now + quietMs);
    log.warn({ peer: call.getPeer(), reason: error.message }, 'refused a call of another process');
    return error;
  };
}
