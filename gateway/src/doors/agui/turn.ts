import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { doorKeyOf } from '../../edge/idempotency/run-key.ts';
import type { NewMessages } from './read-messages.ts';
import type { RunAgentInput } from './run-input.ts';
import { markOf, type Thread, type ThreadKey } from './thread.ts';

export type PageRequest = FastifyRequest<{ Body: RunAgentInput; Headers: Static<typeof IdempotencyKey> }>;

/** A request of a page, and its answer. */
export interface Exchange {
  readonly request: PageRequest;
  readonly reply: FastifyReply;
}

/** A request of a page: its thread as it is, and the messages and answers that are new. */
export interface Turn {
  readonly session: ThreadKey;
  readonly thread: Thread | undefined;
  readonly news: NewMessages;
  /** Calls that tool messages of the page have answered. */
  readonly answered: ReadonlySet<string>;
}

/** The client's key, or one for the run's id: a request that is sent twice starts one run. */
export function keyOf(request: PageRequest, { appName, userId, sessionId }: ThreadKey): string {
  const { runId } = request.body;
  const hash = createHash('sha256').update(JSON.stringify([appName, userId, sessionId, runId]));
  return doorKeyOf('agui', request) || `agui-run:${hash.digest('base64url')}`;
}

export function metadataOf({ messageId }: NewMessages) {
  const customMetadata = markOf(messageId);
  return customMetadata && { customMetadata };
}
