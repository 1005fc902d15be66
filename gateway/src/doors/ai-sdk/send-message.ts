import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Context } from '../../context.ts';
import type { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { doorKeyOf } from '../../edge/idempotency/run-key.ts';
import { startRun } from '../road/start-run.ts';
import type { Chat } from './chat.ts';
import type { ChatRequest } from './chat-record.ts';
import { newestMessage, type UserMessage } from './from-ui-message.ts';
import type { Shown } from './show-run.ts';

/** A request that brings a message, and its answer. */
export interface Exchange {
  readonly request: FastifyRequest<{ Headers: Static<typeof IdempotencyKey>; Body: ChatRequest }>;
  readonly reply: FastifyReply;
}

/** Starts a run with the newest message of the user. */
export async function sendMessage(context: Context, exchange: Exchange, chat: Chat): Promise<Shown> {
  const { request } = exchange;
  const message = newestMessage(request.body);
  const idempotencyKey = doorKeyOf('ai-sdk', request) || keyOfMessage(request, chat, message);
  const { content } = message;
  return { run: await startRun(context, exchange, { ...chat, content, streaming: true, idempotencyKey }) };
}

/**
 * A new message that is sent twice, as where a connection broke, runs once. `messageId` is set when a message is sent again on purpose: edited, or to be answered
 * anew. Clients may give messages of several chats the same ids, so the key is that of all that is said.
 */
function keyOfMessage(
  { body, identity }: Exchange['request'],
  chat: Chat,
  { id, index, content }: UserMessage,
): string {
  if (id === '' || body.trigger !== 'submit-message' || body.messageId) return '';
  const isBound = identity.grant?.userId !== undefined;
  const said = JSON.stringify([chat.appName, chat.userId, chat.sessionId, isBound, id, index, content]);
  return `ai-sdk-message:${createHash('sha256').update(said).digest('base64url')}`;
}
