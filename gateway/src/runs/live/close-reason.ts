import { MeshError } from '@agentmesh/lib/rpc';
import { problemOf } from '../../edge/errors/problem.ts';
import { HttpError, InvalidRequest } from '../../edge/errors/request-error.ts';

/** Close code and reason of a live connection; the reason has at most 123 bytes. */
export interface Ending {
  readonly code: number;
  readonly reason: string;
}

const tryAgainLater = 1013;

export const endings = {
  asked: { code: 1000, reason: '' },
  draining: { code: 1001, reason: 'The server is restarting.' },
  noSession: { code: 1002, reason: 'Session not found' },
  revoked: { code: 1008, reason: 'Could not validate credentials' },
  noRoom: { code: tryAgainLater, reason: 'Too many large messages at once. Try again.' },
  notText: { code: 1003, reason: 'Messages are JSON texts.' },
  noLiveModel: { code: 1003, reason: 'Audio and video need a live model, and this app has none. Text works.' },
} as const satisfies Record<string, Ending>;

/** Ending for an invalid message. */
export function ofInvalidMessage(error: unknown): Ending {
  return { code: 1007, reason: describe(error) };
}

/** Ending for a connection that is not allowed, or no longer allowed. */
export function ofRefusal(error: unknown): Ending {
  if (error instanceof MeshError && error.reason === 'session_not_found') return endings.noSession;
  if (error instanceof MeshError && error.code !== 'not_found' && error.code !== 'permission_denied')
    return ofFailure(error);
  return { code: 1008, reason: describe(error) };
}

/** Ending for a failed run, or for one that was not accepted. */
export function ofFailure(error: unknown): Ending {
  if (error instanceof MeshError && error.reason === 'session_not_found') return endings.noSession;
  return { code: problemOf(error)?.status === 429 ? tryAgainLater : 1011, reason: describe(error) };
}

const longestReason = 123;
const withheld = 'Internal error';

/** Public text of an error, cut at a character boundary. The text of an unexpected error is withheld. */
function describe(error: unknown): string {
  if (error instanceof InvalidRequest) {
    const [issue] = error.issues;
    return cut(issue === undefined ? error.message : `${issue.loc.slice(1).join('.')}: ${issue.msg}`);
  }
  const isPublic = error instanceof HttpError || (problemOf(error)?.status ?? 500) < 500;
  return isPublic && error instanceof Error ? cut(error.message) : withheld;
}

/** Text cut to the size of a close frame. */
export function cut(text: string): string {
  const bytes = Buffer.from(text.toWellFormed());
  if (bytes.length <= longestReason) return bytes.toString();
  let end = longestReason;
  // A byte that begins with the bits 10 continues a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString();
}
