import { createHash } from 'node:crypto';

/** Header of a call: SHA-256 of the client's key and of the route, in base64url. */
export const KEY = 'mesh-idempotency-key';
/** Header of a call: SHA-256 of the client's key and of what it has asked for, in base64url. */
export const REQUEST = 'mesh-idempotency-request';

export interface KeyedRequest {
  /** The key that the client has chosen. */
  readonly key: string;
  /** Method and pattern of the route: a key counts for one route. */
  readonly route: string;
  /** The path, the query and the body. */
  readonly content: readonly unknown[];
}

/** Headers of a call that is done once for each key: see `once`. */
export function keyedHeaders({ key, route, content }: KeyedRequest): Record<string, string> {
  // With the key in it, the second hash tells nothing about content that could be guessed.
  return { [KEY]: hash([route, key]), [REQUEST]: hash([key, ...content]) };
}

/** Whether a call has an idempotency key. */
export function isKeyed(received: Headers): boolean {
  return received.has(KEY) && received.has(REQUEST);
}

/** The headers of a call with an idempotency key, for the call to the service that keeps the key; empty for a call without. */
export function passedKey(received: Headers): Record<string, string> {
  const [key, request] = [received.get(KEY), received.get(REQUEST)];
  return key === null || request === null ? {} : { [KEY]: key, [REQUEST]: request };
}

function hash(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
