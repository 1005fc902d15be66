import { MeshError } from '@agentmesh/lib/rpc';

/** The request cannot be met as it is. */
export function invalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

/** MEMORY_ENABLED is false. */
export function notConfigured(): MeshError {
  return new MeshError('failed_precondition', 'memory_not_configured', 'Memory service is not configured.');
}

/** No such session in this account. */
export function sessionNotFound(): MeshError {
  return new MeshError('not_found', 'session_not_found', 'Session not found');
}

/** The memories of the account have as many entries as they may. */
export function accountMemories(): MeshError {
  const message = 'The account has as many memories as it may (MEMORY_ACCOUNT_MAX_ENTRIES). Delete some first.';
  return new MeshError('resource_exhausted', 'account_memories', message);
}

/** Other calls add the same session, or it is deleted and created again, faster than it can be read. */
export function contended(): MeshError {
  return new MeshError(
    'unavailable',
    'memory_contended',
    'The memory is being written by too many at once; try again.',
  );
}
