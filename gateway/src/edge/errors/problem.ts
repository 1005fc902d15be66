import { MeshError, type MeshCode } from '@agentmesh/lib/rpc';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Pace } from '../pace.ts';
import { refuseUpload } from './refuse-upload.ts';
import { HttpError, InvalidRequest } from './request-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Writes errors in the form of another API than ours. */
    problemAs?: (problem: Problem) => Problem;
  }
}

/** HTTP answer of an error. */
export interface Problem {
  readonly status: number;
  /** An object is sent as JSON, a text as it is. */
  readonly body: object | string;
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

/** Statuses of reasons that have one of their own. */
const statusesOfReasons: Readonly<Record<string, number>> = {
  idempotency_answer_too_large: 413,
  session_changed: 412,
  agent_changed: 412,
  agent_in_use: 409,
  agent_too_large: 413,
  account_artifact_bytes: 413,
  account_state: 413,
  account_stored_bytes: 413,
  artifact_too_large: 413,
  run_too_large: 413,
  rewinds_too_many: 413,
  session_too_large: 413,
  state_too_large: 413,
  state_value_too_large: 413,
  attachment_too_large: 413,
  audio_too_large: 413,
  audio_format_unsupported: 415,
  transcription_failed: 502,
  agent_identity_refused: 502,
  mail_provider_refused: 502,
  mail_provider_failed: 502,
  mail_provider_misconfigured: 502,
  subscription_gone: 410,
  already_running_or_queued: 409,
  subscription_inactive: 409,
  trigger_run_failed: 500,
  trigger_app_not_found: 500,
  key_needs_reentry: 409,
  key_provider_missing: 409,
  key_provider_mismatch: 409,
};

/** Reasons that blame one place of the request. They are answered as the gateway's own checks are: 422 with a list. */
const placesOfReasons: Readonly<Record<string, readonly string[]>> = {
  idempotency_key_reused: ['header', 'idempotency-key'],
  message_invalid: ['body', 'newMessage'],
  audio_empty: ['body', 'file'],
  session_id_reserved: ['body', 'sessionId'],
  answer_not_awaited: ['body', 'functionResponse'],
};

/** Statuses of failures that may pass, and the header that tells when to try again, unless the route has set it. */
const mayPass = new Set([429, 503]);
const tryAgain = { 'retry-after': '1' };

/** The answer of bearer authentication to a token whose account auth has just deleted. */
const asBearer = { 'www-authenticate': 'Bearer' };

/** Time in milliseconds that a refused client may go on sending before its connection is closed. */
const uploadPatienceMs = 10_000;
/** Largest body that is discarded without a limit of its own. */
const smallBytes = 64 * 1024;
/** Speed at which the unread parts of all refused bodies together are read and discarded. V8 collects its whole heap for each 64 MB of them. */
const discardPace = { bytesPerSecond: 8 * 1024 * 1024, burstBytes: 4 * 1024 * 1024 };

const internal: Problem = { status: 500, body: { detail: 'Internal Server Error' } };

/** Maps errors to HTTP answers; no other place does. Undefined for an unexpected error. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof InvalidRequest) return { status: 422, body: { detail: error.issues, code: error.code } };
  if (error instanceof HttpError)
    return { status: error.status, body: { detail: error.message }, headers: error.headers };
  if (error instanceof MeshError) return ofMeshError(error);
  return isFrameworkError(error) ? ofFrameworkError(error) : undefined;
}

function ofMeshError({ code, reason, message }: MeshError): Problem {
  if (code === 'internal') return internal;
  const loc = placesOfReasons[reason];
  if (loc !== undefined) return { status: 422, body: { detail: [{ type: reason, loc, msg: message }], code: reason } };
  const status = statusesOfReasons[reason] ?? statuses[code];
  if (reason === 'caller_gone') return { status, body: { detail: message }, headers: asBearer };
  return { status, body: { detail: message, code: reason }, ...(mayPass.has(status) && { headers: tryAgain }) };
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
  /** Largest body in bytes. Up to four times as many bytes of a larger one are read and discarded. */
  readonly bodyLimit: number;
}

/** Answers an error. An unexpected error is logged once and answered without its text. */
export function errorHandler({ log, bodyLimit }: ErrorHandlerOptions) {
  const pace = new Pace(discardPace);
  const limits = { maxBytes: 4 * bodyLimit, maxMs: uploadPatienceMs, pace, open: new Set<() => void>() };
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const found = problemOf(error) ?? unforeseen(error, { request, log });
    const problem = request.routeOptions.config.problemAs?.(found) ?? found;
    if (error instanceof MeshError && error.code === 'internal') {
      log.warn({ requestId: request.id, reason: error.reason }, 'a service failed');
    }
    for (const [name, value] of Object.entries(problem.headers ?? {}))
      if (!reply.hasHeader(name)) reply.header(name, value);
    reply.code(problem.status);
    if (problem.status === 413 || isUploading(request)) refuseUpload(request, reply, { ...limits, body: problem.body });
    else reply.send(problem.body);
  };
}

/** Whether the client is still sending a body that nobody reads. Node itself discards a small one after the answer, at a fraction of the cost. */
function isUploading({ raw }: FastifyRequest): boolean {
  const isUntouchedAndSmall = raw.readableFlowing === null && Number(raw.headers['content-length']) <= smallBytes;
  return !raw.complete && !raw.destroyed && !isUntouchedAndSmall;
}

function unforeseen(error: unknown, { request, log }: { request: FastifyRequest; log: Logger }): Problem {
  const gone = request.raw.destroyed && !request.raw.complete;
  if (gone) return { status: 400, body: { detail: 'The request ended early.' } };
  log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'unexpected error');
  return internal;
}
