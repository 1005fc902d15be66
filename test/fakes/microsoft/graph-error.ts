import type { Reply } from '../upstream/index.ts';

/** An error answer in Graph's envelope. */
export function graphError(status: number, code: string, message: string, headers: Record<string, string> = {}): Reply {
  const requestId = '00000000-0000-4000-8000-000000000000';
  const innerError = { date: '2026-11-21T01:00:00', 'request-id': requestId, 'client-request-id': requestId };
  const all = { ...headers, 'request-id': requestId, 'client-request-id': requestId };
  return { status, body: { error: { code, message, innerError } }, headers: all };
}

export function invalidRequest(message: string): Reply {
  return graphError(400, 'InvalidRequest', message);
}

export function objectNotFound(): Reply {
  return graphError(404, 'ResourceNotFound', 'The object was not found.');
}
