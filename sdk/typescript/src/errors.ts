/** One fault of a request that is not valid, as an entry of a 422 answer. */
export interface Fault {
  /** Where the fault is, such as `['body', 'appName']`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The facts of an answer that is an error. */
export interface ErrorFacts {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Reason for programs, as docs/errors.md lists them; empty where the server gives none. */
  readonly code: string;
  readonly message: string;
  /** `X-Request-Id` of the answer, for questions to the operator. */
  readonly requestId?: string | undefined;
  /** Seconds after which the server wants to be asked again. */
  readonly retryAfter?: number | undefined;
  readonly faults?: readonly Fault[] | undefined;
  readonly cause?: unknown;
}

/** A request that failed. Its class tells the kind, and `code` the reason. */
export class AgentMeshError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly faults: readonly Fault[];

  constructor({ status, code, message, requestId, retryAfter, faults = [], cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.faults = faults;
  }
}

/** No whole answer came: the server cannot be reached, was too slow, or the connection broke. */
export class ConnectionError extends AgentMeshError {
  constructor(message: string, cause?: unknown) {
    super({ status: 0, code: 'connection_failed', message, cause });
  }
}

/** 400 or 422: the request is not valid. `faults` names what is wrong. */
export class InvalidRequestError extends AgentMeshError {}
/** 401: no token, or one that is not valid. */
export class UnauthenticatedError extends AgentMeshError {}
/** 403: the token does not allow this. */
export class ForbiddenError extends AgentMeshError {}
/** `password_required`: sign in with the password again. */
export class PasswordRequiredError extends ForbiddenError {}
/** 404: there is no such thing in this account. */
export class NotFoundError extends AgentMeshError {}
/** 409: what is there now does not allow this. */
export class ConflictError extends AgentMeshError {}
/** `session_busy`: another run of the session is not over. */
export class SessionBusyError extends ConflictError {}
/** `run_not_waiting`: the run is not waiting for this answer, or no more. */
export class RunNotWaitingError extends ConflictError {}
/** 412: somebody else has changed it since it was read. */
export class ChangedError extends AgentMeshError {}
/** 413: too many bytes. */
export class TooLargeError extends AgentMeshError {}
/** 429: too many requests, or a limit of the account is reached. */
export class LimitError extends AgentMeshError {}
/** 5xx: the server failed or is not available. */
export class ServerError extends AgentMeshError {}

/**
 * An id or a name that no path can have: it is missing or empty, or it is `.` or `..`, which addresses leave out. The request would reach another route, such as
 * the one that deletes everything. Nothing was sent.
 */
export class PathValueError extends TypeError {
  constructor(place: string, value: unknown) {
    super(`${JSON.stringify(value)} cannot be the last part of ${place}: it is no id or name.`);
    this.name = new.target.name;
  }
}

type ErrorClass = new (facts: ErrorFacts) => AgentMeshError;

const byCode: Readonly<Record<string, ErrorClass>> = {
  password_required: PasswordRequiredError,
  run_not_waiting: RunNotWaitingError,
  session_busy: SessionBusyError,
};

const byStatus: Readonly<Record<number, ErrorClass>> = {
  400: InvalidRequestError,
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ChangedError,
  413: TooLargeError,
  422: InvalidRequestError,
  429: LimitError,
};

/** The error for an answer, in the class of its code, else of its status. */
export function errorOf(facts: ErrorFacts): AgentMeshError {
  const other = facts.status >= 500 ? ServerError : AgentMeshError;
  return new (byCode[facts.code] ?? byStatus[facts.status] ?? other)(facts);
}
