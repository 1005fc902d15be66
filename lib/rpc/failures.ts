import { MeshError } from './mesh-error.ts';

/** What a caller sees of an error whose text is withheld. */
export function internalError(cause?: unknown): MeshError {
  return new MeshError('internal', 'internal', 'Internal error', { cause });
}

export function deadlineExceeded(): MeshError {
  return new MeshError('deadline_exceeded', 'deadline_exceeded', 'The deadline has passed');
}

export function canceled(cause?: unknown): MeshError {
  return new MeshError('canceled', 'canceled', 'The call was canceled', { cause });
}

export function draining(): MeshError {
  return new MeshError('unavailable', 'draining', 'The service is shutting down');
}

/** Why a signal ended a call: a deadline that passed further up, or a cancellation. */
export function abortFailure(reason: unknown): MeshError {
  if (reason instanceof MeshError && reason.code === 'deadline_exceeded') return deadlineExceeded();
  if (reason instanceof Error && reason.name === 'TimeoutError') return deadlineExceeded();
  return canceled(reason);
}
