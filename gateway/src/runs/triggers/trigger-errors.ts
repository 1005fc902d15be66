import { MeshError } from '@agentmesh/lib/rpc';

/** The run of a message has failed. The texts begin as ADK's do. */
export function triggerRunFailed(errorCode: string, errorMessage: string): MeshError {
  const beginning =
    errorCode === 'RESOURCE_EXHAUSTED' ? 'Rate limit exceeded (429). Retryable.' : 'Agent processing failed:';
  const text = `${beginning} ${errorMessage || errorCode}`;
  return new MeshError('failed_precondition', 'trigger_run_failed', text);
}

/** The run of a message has no end yet: it takes too long, or this process stops. Another delivery waits for the same run. */
export function triggerNotOver(): MeshError {
  return new MeshError('unavailable', 'trigger_not_over', 'The run goes on. Deliver the message again to wait for it.');
}

/** Passes errors on. As in ADK, an app that does not exist fails the message, so that it is delivered again. */
export function tellUnknownApp(error: unknown): never {
  if (!(error instanceof MeshError) || error.reason !== 'app_not_found') throw error;
  throw new MeshError('not_found', 'trigger_app_not_found', `Agent processing failed: ${error.message}`);
}
