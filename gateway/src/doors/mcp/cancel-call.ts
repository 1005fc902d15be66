import { randomUUID } from 'node:crypto';
import { uuidOf } from '@agentmesh/lib/idempotency';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, unary } from '../../context.ts';

/** Header of the older protocol. The newer one has no sessions. */
const sessionHeader = 'mcp-session-id';

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/**
 * Gives a client of the older protocol the name of a session when it introduces itself. Nothing is stored under it: it tells the calls of clients apart, so that one
 * can be cancelled by its number.
 */
export function nameSession({ body }: FastifyRequest, reply: FastifyReply): void {
  if ((body as Message | null)?.method === 'initialize') reply.header(sessionHeader, randomUUID());
}

/** The id of the run that a call starts: any replica finds it by the number of the call. Undefined for a client that names no session. */
export function runIdOf({ headers, identity }: FastifyRequest, callId: string | number): string | undefined {
  const session = headers[sessionHeader];
  return typeof session === 'string' ? `e-${uuidOf('mcp', identity.accountId, session, callId)}` : undefined;
}

/** Cancels the run of the call that a notification of the older protocol names. A call that is over, or never was, is passed over, as the protocol says. */
export async function cancelCall({ sessions }: Context, request: FastifyRequest): Promise<void> {
  const { method, params } = (request.body ?? {}) as Message;
  const callId = params?.requestId;
  if (method !== 'notifications/cancelled' || (typeof callId !== 'string' && typeof callId !== 'number')) return;
  const invocationId = runIdOf(request, callId);
  if (invocationId === undefined) return;
  const { accountId, grant } = request.identity;
  try {
    await sessions.cancelRun({ accountId, userId: grant?.userId ?? '', invocationId }, unary);
  } catch (error) {
    if (!isMeshError(error) || error.code !== 'not_found') throw error;
  }
}
