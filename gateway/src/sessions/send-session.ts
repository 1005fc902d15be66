import { afterChange } from '@agentmesh/lib/rpc';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { sendJsonStream } from '../edge/json/json-stream.ts';
import { entityTag } from '../edge/records/entity-tag.ts';
import type { sessionKeyOf } from '../edge/records/session-key.ts';
import { readingFor } from '../edge/streams/reading-for.ts';
import { openSession } from './read-session.ts';

/** Sends the session that a request has changed. A failure to read it says that the change is stored. */
export function sendChangedSession(...sending: Parameters<typeof sendSession>): Promise<FastifyReply> {
  return afterChange(sendSession(...sending));
}

/** Sends a whole session, as fast as the client reads it. */
export async function sendSession(
  reply: FastifyReply,
  sessions: Context['sessions'],
  session: ReturnType<typeof sessionKeyOf>,
): Promise<FastifyReply> {
  const { revision, groups } = await openSession(sessions, session, readingFor(reply.raw));
  return sendJsonStream(reply.header('etag', entityTag(revision)), groups);
}
