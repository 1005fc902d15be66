import type { Reply } from '../reply.ts';

/**
 * Names of operations, e.g. `projects/p/locations/l/operations/o` and `operations/akmf.p7-12-34`. They are safe in the path of a URL:
 * no segment begins with a dot or holds two dots in a row.
 */
const pattern = /^(?!.*\.\.)[A-Za-z0-9][\w.~-]*(?:\/[A-Za-z0-9][\w.~-]*){0,9}$/;

/** State of a long-running operation after a reply. */
export type Progress =
  /** The operation still runs; `name` is its path for the next question. */
  | { readonly state: 'running'; readonly name: string }
  /** `reply` is the outcome, as a plain call would have had it. */
  | { readonly state: 'ended'; readonly reply: Reply }
  /** A reply of status 200 that is neither a success, nor an error, nor an operation that can be followed. */
  | { readonly state: 'unreadable' };

/**
 * Reads a reply: of the first call, which is an operation only if it has `name` or `done`, or of a later one, about the operation
 * `followed`.
 */
export function progressOf(reply: Reply, followed?: string): Progress {
  if (reply.status !== 200) return { state: 'ended', reply };
  if (reply.json === undefined) return { state: 'unreadable' };
  const { done, error } = reply.json;
  // proto JSON leaves a `done` of false out.
  const name = followed ?? reply.json.name;
  if (error !== undefined) return { state: 'ended', reply: { ...reply, status: statusOf(error) } };
  if (done === true || (name === undefined && done === undefined)) return { state: 'ended', reply };
  const isPending = done === undefined || done === false;
  return isPending && typeof name === 'string' && pattern.test(name)
    ? { state: 'running', name }
    : { state: 'unreadable' };
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

/** HTTP status of the `error` of an operation, `{code, message}`. */
function statusOf(error: unknown): number {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return (typeof code === 'number' ? statuses.get(code) : undefined) ?? 500;
}
