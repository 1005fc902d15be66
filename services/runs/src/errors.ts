import { MeshError } from '@agentmesh/lib/rpc';

/** `hint` describes the mistake in the app's files, or names the app that may have been meant. */
export function appNotFound(app: string, hint: string): MeshError {
  return new MeshError('not_found', 'app_not_found', `No root_agent found for '${app}'. ${hint}`);
}

/** The changed files of an app cannot be used, and its last good version is not to serve. */
export function appHasMistakes(app: string, mistakes: string): MeshError {
  return new MeshError(
    'failed_precondition',
    'app_has_mistakes',
    `The files of app '${app}' have mistakes:\n${mistakes}`,
  );
}

/** The code of the app is being loaded, or is loaded again because it was not loaded in time. */
export function appLoading(app: string): MeshError {
  return new MeshError('unavailable', 'app_loading', `The code of the app "${app}" is still being loaded. Try again.`);
}

/** The account has no such agent, or it can no longer be used; `why` says what is wrong with it. */
export function agentAppNotFound(app: string, why = 'Agent not found.'): MeshError {
  return appNotFound(app, why);
}

export function agentNotFound(): MeshError {
  return new MeshError('not_found', 'agent_not_found', 'Agent not found');
}

export function agentVersionNotFound(): MeshError {
  return new MeshError('not_found', 'agent_version_not_found', 'Version not found');
}

export function agentNameTaken(name: string): MeshError {
  return new MeshError('already_exists', 'agent_name_taken', `An agent named '${name}' already exists.`);
}

/** Another write came first. */
export function agentChanged(): MeshError {
  return new MeshError('failed_precondition', 'agent_changed', 'The agent is at another version.');
}

/** `parents`: names of the agents that have it as a sub-agent. */
export function agentInUse(parents: readonly string[]): MeshError {
  const message = `The agent is a sub-agent of ${parents.map((name) => `'${name}'`).join(', ')}. Take it out of them first.`;
  return new MeshError('failed_precondition', 'agent_in_use', message);
}

export function noticeNotFound(): MeshError {
  return new MeshError('not_found', 'notice_not_found', 'Notification not found');
}

/** A notice has a field that is empty, too long or not allowed. */
export function noticeInvalid(): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', 'The fields of the notice are not valid.');
}

/** The ends of as many runs of the account become notices as may. */
export function awaitedRunsTooMany(most: number): MeshError {
  const message = `The ends of at most ${most} runs of an account that go on become notifications (RUNS_ACCOUNT_MAX_AWAITED).`;
  return new MeshError('resource_exhausted', 'awaited_runs_too_many', message);
}

export function noticeWatchersTooMany(most: number): MeshError {
  return new MeshError(
    'resource_exhausted',
    'notice_watchers_too_many',
    `At most ${most} streams of notifications are open at a time.`,
  );
}

/** The account has too many streams of runs. */
export function runWatchersTooMany(most: number): MeshError {
  return new MeshError(
    'resource_exhausted',
    'run_watchers_too_many',
    `At most ${most} streams of runs are open at a time.`,
  );
}

export function agentsTooMany(most: number): MeshError {
  return new MeshError('resource_exhausted', 'agents_too_many', `An account can have ${most} agents at most.`);
}

export function agentTooLarge(mostBytes: number): MeshError {
  return new MeshError('invalid_argument', 'agent_too_large', `The agent is larger than ${mostBytes} bytes.`);
}

export function agentFieldsInvalid(): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', 'The fields of an agent are a JSON object.');
}

/** An instruction names state keys that the session does not have. */
export function templateVariableMissing(
  { appName, agentName, file }: { readonly appName: string; readonly agentName: string; readonly file: string },
  variables: readonly string[],
): MeshError {
  const [first = ''] = variables;
  const named = variables.map((name) => `{${name}}`).join(', ');
  const message =
    `The instruction of agent "${agentName}" (app "${appName}", ${file}) needs ${named}, which the state of this session ` +
    `does not have. Set the key, or write {${first}?} where it may be absent.`;
  return new MeshError('failed_precondition', 'template_variable_missing', message);
}

/** Names that start with two underscores belong to the system. */
export function appInternal(): MeshError {
  const message = 'Access to internal special agents is disabled in API server mode.';
  return new MeshError('permission_denied', 'app_internal', message);
}

export function rootAgentNotLlm(): MeshError {
  return new MeshError('failed_precondition', 'root_agent_not_llm', 'Root agent is not an LlmAgent');
}

export function messageInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'message_invalid', message);
}

/** The run does not wait for an answer any more. */
export function runNotWaiting(invocationId: string): MeshError {
  const message = `Run ${invocationId} does not wait for this answer: it was answered already, or the run is over.`;
  return new MeshError('aborted', 'run_not_waiting', message);
}

/** An answer names a call that the run does not wait for. */
export function answerNotAwaited(message: string): MeshError {
  return new MeshError('invalid_argument', 'answer_not_awaited', message);
}

/** The sessions service broke its contract. */
export function runMissing(): MeshError {
  return new MeshError('internal', 'run_missing', 'The sessions service answered no run.');
}

/** This process is shutting down and takes no new runs. */
export function shuttingDown(): MeshError {
  return new MeshError('unavailable', 'runs_draining', 'The service is shutting down.');
}

/** The process executes as many runs as it may, and no run may wait. */
export function concurrentRuns(): MeshError {
  const message = 'The server is executing as many runs as it may (RUNS_MAX_CONCURRENT). Try again later.';
  return new MeshError('resource_exhausted', 'concurrent_runs', message);
}

/** The queue of runs of this process is full. */
export function queuedRuns(): MeshError {
  const message = 'As many runs as may are waiting for the server (RUNS_MAX_QUEUED). Try again later.';
  return new MeshError('resource_exhausted', 'queued_runs', message);
}

/** The account has as many running runs as it may, and no run may wait. */
export function accountConcurrentRuns(): MeshError {
  const message = 'The account is executing as many runs as it may (RUNS_ACCOUNT_MAX_CONCURRENT). Try again later.';
  return new MeshError('resource_exhausted', 'account_concurrent_runs', message);
}

/** The queue of runs of the account is full. */
export function accountQueuedRuns(): MeshError {
  const message = 'As many runs of the account as may are waiting (RUNS_ACCOUNT_MAX_QUEUED). Try again later.';
  return new MeshError('resource_exhausted', 'account_queued_runs', message);
}

/** The viewer's buffer is full. The run itself goes on, and all its events are stored. */
export function viewerTooSlow(): MeshError {
  const message = 'The reader is too slow for this run. Read the session again for the rest.';
  return new MeshError('resource_exhausted', 'viewer_too_slow', message);
}

/** Whether an append was refused because the run is being cancelled. */
export function isCancelling(error: unknown): boolean {
  return error instanceof MeshError && error.reason === 'run_cancelling';
}

/** Whether an append was refused because another run takes the place of this one. */
export function isInterrupting(error: unknown): boolean {
  return error instanceof MeshError && error.reason === 'run_interrupting';
}

/** Whether a call failed because its session is gone or the turn is held by another executor. */
export function isLost(error: unknown): boolean {
  return error instanceof MeshError && (error.code === 'aborted' || error.code === 'not_found');
}
