import { MeshError, type MeshCode } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { refuseUpload } from './refuse-upload.ts';
import { HttpError, InvalidRequest } from './request-error.ts';

/** An error as the public sees it. */
export interface Problem {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const statuses: Readonly<Record<MeshCode, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  failed_precondition: 400,
  aborted: 409,
  resource_exhausted: 429,
  unavailable: 503,
  deadline_exceeded: 504,
  canceled: 503,
  internal: 500,
};

/** Reasons that HTTP has a status of their own for. */
const statusesOfReasons: Readonly<Record<string, number>> = {
  session_changed: 412,
  artifact_too_large: 413,
  audio_too_large: 413,
  audio_format_unsupported: 415,
  transcription_failed: 502,
  agent_identity_refused: 502,
};

/** How long a client that was refused may go on sending before its connection is closed. */
const uploadPatienceMs = 10_000;

const internal: Problem = { status: 500, body: { detail: 'Internal Server Error' } };

/** The one place where errors become HTTP. Undefined: not an error that anybody foresaw. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof InvalidRequest) return { status: 422, body: { detail: error.issues } };
  if (error instanceof HttpError)
    return { status: error.status, body: { detail: error.message }, headers: error.headers };
  if (error instanceof MeshError) return ofMeshError(error);
  return isFrameworkError(error) ? ofFrameworkError(error) : undefined;
}

function ofMeshError({ code, reason, message }: MeshError): Problem {
  if (code === 'internal') return internal;
  return { status: statusesOfReasons[reason] ?? statuses[code], body: { detail: message, code: reason } };
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && 'statusCode' in error;
}

function ofFrameworkError({ code, statusCode, message }: FastifyError): Problem | undefined {
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { status: 413, body: { detail: 'The request body is too large.' } };
  if (statusCode === undefined || statusCode >= 500) return undefined;
  return { status: statusCode, body: { detail: message } };
}

export interface ErrorHandlerOptions {
  readonly log: Logger;
  /** Most bytes of a body. Of a larger one, four times as many are still read and thrown away. */
  readonly bodyLimit: number;
}

/** Answers an error; what nobody foresaw is logged once and its text withheld. */
export function errorHandler({ log, bodyLimit }: ErrorHandlerOptions) {
  const limits = { maxBytes: 4 * bodyLimit, maxMs: uploadPatienceMs };
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const problem = problemOf(error) ?? unforeseen(error, { request, log });
    if (error instanceof MeshError && error.code === 'internal') {
      log.warn({ requestId: request.id, reason: error.reason }, 'a service failed');
    }
    if (problem.headers !== undefined) reply.headers(problem.headers);
    reply.code(problem.status);
    if (problem.status === 413 || isUploading(request)) refuseUpload(request, reply, { ...limits, body: problem.body });
    else reply.send(problem.body);
  };
}

/** Whether the client is still sending a body that nobody reads. */
function isUploading({ raw }: FastifyRequest): boolean {
  return !raw.complete && !raw.destroyed;
}

function unforeseen(error: unknown, { request, log }: { request: FastifyRequest; log: Logger }): Problem {
  const gone = request.raw.destroyed && !request.raw.complete;
  if (gone) return { status: 400, body: { detail: 'The request ended early.' } };
  log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'unexpected error');
  return internal;
}
