import { ErrorInfoSchema, StatusSchema } from '@agentmesh/proto/mesh/v1/status';
import { create, toBinary } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import {
  canceled,
  deadlineExceeded,
  draining,
  internalError,
  type MeshCode,
  MeshError,
  rpcUnimplemented,
} from '../call/index.ts';

const REASON = 'mesh-reason';
const DETAILS = 'grpc-status-details-bin';
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
// A status travels in HTTP/2 headers, percent-encoded, whose size is limited.
const MAX_MESSAGE_LENGTH = 4_000;
/** The details repeat the beginning of the message: all headers of an answer together are limited. */
const MAX_DETAILS_LENGTH = 1_000;

const TO_STATUS: Record<MeshCode, status> = {
  invalid_argument: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  aborted: status.ABORTED,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  canceled: status.CANCELLED,
  internal: status.INTERNAL,
};

const FROM_STATUS = new Map(Object.entries(TO_STATUS).map(([code, number]) => [number, code as MeshCode]));

/** A MeshError as a gRPC status: the public message as details, the reason in the trailer `mesh-reason`, and both as a google.rpc.Status. */
export function toStatus(error: MeshError): StatusObject {
  const metadata = new Metadata();
  metadata.set(REASON, error.reason);
  // A lone surrogate cannot be percent-encoded.
  const details = error.message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
  metadata.set(DETAILS, statusDetails(error.reason, details, TO_STATUS[error.code]));
  return { code: TO_STATUS[error.code], details, metadata };
}

function statusDetails(reason: string, message: string, code: status): Buffer {
  const info = toBinary(ErrorInfoSchema, create(ErrorInfoSchema, { reason, domain: 'agentmesh' }));
  const shown = message.slice(0, MAX_DETAILS_LENGTH).toWellFormed();
  const sent = create(StatusSchema, { code, message: shown, details: [{ typeUrl: ERROR_INFO, value: info }] });
  return Buffer.from(toBinary(StatusSchema, sent));
}

/**
 * Whether a server that is leaving refused the stream. Before its headers that means that it has begun nothing. HTTP/2 itself refuses
 * streams that cross a GOAWAY, for which grpc-js has a text and no code of its own.
 */
function isDraining({ code, details, metadata }: Partial<ServiceError>): boolean {
  if (code !== status.UNAVAILABLE) return false;
  return details === 'Stream refused by server' || metadata?.get(REASON)[0] === draining().reason;
}

/** How a stream ended without an answer. `refused`: the server is leaving, and has begun nothing. `broken`: its connection broke, or none could be made. */
export type Unanswered = 'refused' | 'broken';

/** How a stream that has ended before the headers of its server was lost; undefined where the server has failed it. */
export function unansweredOf(error: Partial<ServiceError>): Unanswered | undefined {
  if (isDraining(error)) return 'refused';
  return error.code === status.UNAVAILABLE && error.metadata?.get(REASON)[0] === undefined ? 'broken' : undefined;
}

/** The MeshError that a service sent, or the one for a call to `word` that failed on the way. */
export function fromStatus(error: unknown, word: string): MeshError {
  if (!isServiceError(error)) return internalError(error);
  const reason = error.metadata?.get(REASON)[0];
  const code = FROM_STATUS.get(error.code);
  if (code !== undefined && reason !== undefined) {
    return fromService({ code, reason: String(reason), message: error.details }, word);
  }
  return transportFailure(error, word);
}

/**
 * The error that the service `word` sent. A refused identity is a fault of the deployment: the service is of no use to this process. A service
 * of an older version sends `internal` `rpc_unimplemented`.
 */
export function fromService(sent: Pick<MeshError, 'code' | 'reason' | 'message'>, word: string): MeshError {
  const error = new MeshError(sent.code, sent.reason, sent.message);
  if (error.reason === 'rpc_unimplemented') return lacksCall(word, error);
  if (error.reason !== 'mesh_identity') return error;
  return new MeshError('unavailable', 'identity_refused', `The ${word} service is unavailable`, { cause: error });
}

/** Failures that grpc-js creates itself have no metadata. */
function isServiceError(error: unknown): error is Partial<ServiceError> & { code: status; details: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** gRPC's own texts name addresses, so they stay in `cause`. */
function transportFailure(cause: { code: status; details: string }, word: string): MeshError {
  const { code, details } = cause;
  if (code === status.CANCELLED) return canceled(cause);
  if (code === status.DEADLINE_EXCEEDED) return deadlineExceeded();
  // A stream that ended without a status: its connection or its server broke. grpc-js calls most of these `internal`.
  const isBroken = code === status.INTERNAL && details.startsWith('Received RST_STREAM');
  if (code === status.UNAVAILABLE || isBroken) return unavailable(word, cause);
  if (code === status.RESOURCE_EXHAUSTED) {
    return messageTooLarge(cause);
  }
  if (code === status.UNIMPLEMENTED) return lacksCall(word, cause);
  return internalError(cause);
}

function lacksCall(word: string, cause: unknown): MeshError {
  return rpcUnimplemented(`The ${word} service lacks this call`, cause);
}

export function unavailable(word: string, cause?: unknown): MeshError {
  return new MeshError('unavailable', 'service_unavailable', `The ${word} service is unavailable`, { cause });
}

export function messageTooLarge(cause?: unknown): MeshError {
  return new MeshError('resource_exhausted', 'message_too_large', 'A message is too large', { cause });
}
