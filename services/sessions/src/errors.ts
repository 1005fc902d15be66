import { MeshError } from '@agentmesh/lib/rpc';

/** The request cannot be stored as it is. */
export function invalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

/** The address of a session with this id would be one of another route. */
export function sessionIdReserved(): MeshError {
  return new MeshError('invalid_argument', 'session_id_reserved', 'A session id must not end in :cancel.');
}

/** No such session in this account. */
export function sessionNotFound(): MeshError {
  return new MeshError('not_found', 'session_not_found', 'Session not found');
}

/** The session is at none of the revisions that the caller expects. */
export function sessionChanged(): MeshError {
  const message =
    'The session has changed since it was read: read it again and repeat the change with its new revision.';
  return new MeshError('failed_precondition', 'session_changed', message);
}

/** A run holds the session's turn. */
export function sessionRunning(): MeshError {
  const message = 'A run of the session is running or queued. Cancel it, or wait for its end.';
  return new MeshError('aborted', 'session_running', message);
}

/** The session was rewound as often as it may be. */
export function rewindsTooMany(most: number): MeshError {
  const message = `The session was rewound ${most} times. Copy it by /fork, and go on with the copy.`;
  return new MeshError('resource_exhausted', 'rewinds_too_many', message);
}

/** No event of that id in the session. */
export function eventNotFound(eventId: string): MeshError {
  return new MeshError('invalid_argument', 'event_not_found', `Event not found: ${eventId}`);
}

/** A session with this id exists already. */
export function sessionExists(id: string): MeshError {
  return new MeshError('already_exists', 'session_exists', `Session already exists: ${id}`);
}

/** The caller may act for one end user only, and all users of the app read `app:` state. */
export function appStateForbidden(): MeshError {
  const message = 'A token that is bound to a user_id cannot set app: state.';
  return new MeshError('permission_denied', 'app_state_forbidden', message);
}

/** A key and its value are larger than one may be; nothing was stored. */
export function stateValueTooLarge(key: string, most: number): MeshError {
  const name = key.length > 64 ? `${key.slice(0, 64)}…` : key;
  const message = `The state key '${name}' and its value have more than ${most} bytes (SESSIONS_STATE_MAX_VALUE_BYTES).`;
  return new MeshError('resource_exhausted', 'state_value_too_large', message);
}

/** The state of a session, of a user or of an app would be larger than it may be; nothing was stored. */
export function stateTooLarge(most: number): MeshError {
  const message = `The state would have more than ${most} bytes in one scope (SESSIONS_STATE_MAX_SCOPE_BYTES).`;
  return new MeshError('resource_exhausted', 'state_too_large', message);
}

/** The session would be larger than it may be; nothing was stored. */
export function sessionTooLarge(most: number): MeshError {
  const message = `The events of the session would have more than ${most} bytes (SESSIONS_MAX_BYTES). Begin a new session.`;
  return new MeshError('resource_exhausted', 'session_too_large', message);
}

/** The message with its metadata is so large that it could not be handed to an executor together with the state; nothing was stored. */
export function runTooLarge(): MeshError {
  const message = 'The message with its metadata and state delta is too large for a run.';
  return new MeshError('resource_exhausted', 'run_too_large', message);
}

/** The account has as many sessions as it may. */
export function accountSessions(): MeshError {
  const message = 'The account has as many sessions as it may (SESSIONS_ACCOUNT_MAX_SESSIONS). Delete some first.';
  return new MeshError('resource_exhausted', 'account_sessions', message);
}

/** The events of the account's sessions have as many bytes as they may. */
export function accountStoredBytes(): MeshError {
  const message =
    'The sessions of the account are as large as they may be (SESSIONS_ACCOUNT_MAX_BYTES). Delete some first.';
  return new MeshError('resource_exhausted', 'account_stored_bytes', message);
}

/** The account has as many runs, or idempotency keys of runs, as it may. */
export function accountRuns(): MeshError {
  const message =
    'The account has as many runs, or idempotency keys of runs, as it may (SESSIONS_ACCOUNT_MAX_RUNS). Keep runs for fewer days.';
  return new MeshError('resource_exhausted', 'account_runs', message);
}

/** The state of the account is as large as it may be; nothing was stored. */
export function accountState(): MeshError {
  const message =
    'The state of the account is as large as it may be (SESSIONS_ACCOUNT_MAX_STATE_BYTES). Delete keys or sessions first.';
  return new MeshError('resource_exhausted', 'account_state', message);
}

/** The attempt no longer holds its session's turn. */
export function fenceLost(): MeshError {
  return new MeshError('aborted', 'fence_lost', 'The run no longer holds the turn of its session.');
}

/** The run is being cancelled: only its end as cancelled can be stored. */
export function runCancelling(): MeshError {
  return new MeshError('aborted', 'run_cancelling', 'The run is being cancelled.');
}

/** Another run takes the place of this one: only its end can be stored. */
export function runInterrupting(): MeshError {
  return new MeshError('aborted', 'run_interrupting', 'Another run takes the place of this one.');
}

/** Another run holds the turn, and the request wants none before it. */
export function sessionBusy(): MeshError {
  return new MeshError('already_exists', 'session_busy', 'Another run of the session is not over (multitask: reject).');
}

/** The invocation is queued or running already. */
export function runInProgress(invocationId: string): MeshError {
  return new MeshError('already_exists', 'run_in_progress', `Run ${invocationId} is already in progress.`);
}

/** The run does not wait for this answer: it has got one already, or it is over. */
export function runNotWaiting(invocationId: string): MeshError {
  const message = `Run ${invocationId} does not wait for this answer: it was answered already, or the run is over.`;
  return new MeshError('aborted', 'run_not_waiting', message);
}

/** No run of that id in the session. */
export function invocationNotFound(invocationId: string): MeshError {
  return new MeshError('invalid_argument', 'invocation_not_found', `Invocation not found: ${invocationId}`);
}

/** No such run in this account. */
export function runNotFound(invocationId: string): MeshError {
  return new MeshError('not_found', 'run_not_found', `Run not found: ${invocationId}`);
}

/** The run is over, so it takes no message. */
export function runOver(invocationId: string): MeshError {
  return new MeshError('aborted', 'run_over', `Run ${invocationId} is over.`);
}

/** The caller may act for one end user only, and the run for more. */
export function runUnbound(): MeshError {
  const message = 'A token that is bound to a user_id adds messages only to runs that such a token started.';
  return new MeshError('permission_denied', 'run_unbound', message);
}

/** The account has used the idempotency key for another request. */
export function idempotencyKeyReused(): MeshError {
  const message = 'This idempotency key was used for another request.';
  return new MeshError('failed_precondition', 'idempotency_key_reused', message);
}

/** An invocation cannot be resumed without a message: it has ended, or it waits for an answer. */
export function nothingToResume(invocationId: string, status: 'completed' | 'waiting'): MeshError {
  const why = status === 'waiting' ? 'waits for the answer to its function calls' : 'has ended';
  return new MeshError('invalid_argument', 'nothing_to_resume', `Invocation ${invocationId} ${why}; send a message.`);
}

/** A message answers calls that no event of the session holds. */
export function callNotFound(ids: readonly string[]): MeshError {
  const message = `Function call not found for function response ids: ${ids.join(', ')}.`;
  return new MeshError('invalid_argument', 'function_call_not_found', message);
}

/** Too many concurrent writers: nothing was written. */
export function contended(): MeshError {
  return new MeshError(
    'unavailable',
    'session_contended',
    'The session is being written by too many at once; try again.',
  );
}
