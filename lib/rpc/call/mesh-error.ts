/** gRPC status names that the mesh uses; the gateway is the only place that knows their HTTP counterparts. */
const MESH_CODES = [
  'invalid_argument',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'already_exists',
  'failed_precondition',
  'aborted',
  'resource_exhausted',
  'unavailable',
  'deadline_exceeded',
  'canceled',
  'internal',
] as const;

export type MeshCode = (typeof MESH_CODES)[number];

export function isMeshCode(code: string): code is MeshCode {
  return (MESH_CODES as readonly string[]).includes(code);
}

/**
 * The one error of the mesh. `code` and `reason` are for programs and cross the wire; `message` is public and may be shown to
 * a caller; `cause` is ours and never leaves the process. An error that is not a MeshError reaches a caller as
 * `internal` with its text withheld.
 */
export class MeshError extends Error {
  override readonly name = 'MeshError';
  readonly code: MeshCode;
  /** Machine-readable, lower snake case, e.g. `session_not_found`; listed in docs/errors.md. */
  readonly reason: string;

  constructor(code: MeshCode, reason: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.reason = reason;
  }
}

/** Whether a caught value is a MeshError. Mesh clients throw nothing else. */
export function isMeshError(error: unknown): error is MeshError {
  return error instanceof MeshError;
}
