import type { Reply } from './ask.ts';

/** Names of operations, e.g. `projects/p/locations/l/operations/o`: safe in the path of a URL. */
const pattern = /^[A-Za-z0-9][\w-]*(?:\/[A-Za-z0-9][\w-]*){0,9}$/;

/** The name of the long-running operation that a reply is about; undefined when it is about none. */
export function operationOf({ status, json }: Reply): string | undefined {
  const { name } = json;
  return status === 200 && typeof name === 'string' && pattern.test(name) ? name : undefined;
}

export function isRunning({ status, json }: Reply): boolean {
  return status === 200 && json.done !== true;
}

/** HTTP statuses of Google's status codes; others are 500. */
const statuses = new Map([
  [3, 400],
  [5, 404],
  [6, 409],
  [7, 403],
  [8, 429],
  [9, 400],
  [10, 409],
  [11, 400],
  [16, 401],
]);

/** An operation that ended with `error: {code, message}`, as the reply that a plain call would have had. */
export function errorOfOperation(reply: Reply): Reply {
  const { error } = reply.json;
  if (reply.status !== 200 || typeof error !== 'object' || error === null) return reply;
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  return { status: statuses.get(code) ?? 500, json: reply.json };
}
