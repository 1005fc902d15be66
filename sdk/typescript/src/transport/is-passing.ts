import { type AgentMeshError, ConnectionError } from '../errors.ts';

const mayPass = new Set([408, 425, 429, 502, 503, 504]);

/** Whether a failure may be gone at the next try. */
export function isPassing(error: AgentMeshError): boolean {
  return error instanceof ConnectionError || mayPass.has(error.status);
}

/** Whether a request that failed so may have had its effect. A refusal such as 401 or 429 comes before it. */
export function hasUnknownOutcome(error: AgentMeshError): boolean {
  return error instanceof ConnectionError || error.status >= 500;
}
