import { randomUUID } from 'node:crypto';
import { uuidOf } from '@agentmesh/lib/idempotency';
import { isMeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, unary } from '../../context.ts';
import { createHistory } from '../road/create-history.ts';
import { type DoorRun, startRun } from '../road/start-run.ts';
import type { Part } from './content-parts.ts';
import type { Transcript, Turn } from './transcript.ts';

export interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A message to an app. */
export interface Asked {
  readonly appName: string;
  readonly userId: string;
  /** Undefined for a new session. */
  readonly sessionId: string | undefined;
  readonly transcript: Exclude<Transcript, { outputs: unknown }>;
  readonly streaming: boolean;
  readonly customMetadata?: Record<string, unknown>;
  readonly idempotencyKey: string;
}

/** Starts a run with the newest message. A session that there is not yet begins with the instructions and the earlier messages. */
export async function beginRun(context: Context, http: Http, asked: Asked): Promise<DoorRun> {
  const { appName, userId, transcript, idempotencyKey } = asked;
  const { accountId } = http.request.identity;
  const isOwn = asked.sessionId === undefined && idempotencyKey === '';
  const sessionId = asked.sessionId ?? (isOwn ? randomUUID() : uuidOf(accountId, idempotencyKey));
  const session = { accountId, appName, userId, sessionId };
  const { instructions, earlier, newest } = transcript;
  const bringsMore = instructions.length > 0 || earlier.length > 0;
  const isNew = bringsMore && (asked.sessionId === undefined || !(await isThere(context, session)));
  const turns: readonly Turn[] = [...earlier, { role: 'user', parts: newest }];
  const begun = isNew ? instructed(turns, instructions) : turns.slice(-1);
  if (begun.length > 1) await createHistory(context, session, begun.slice(0, -1));
  const message = { ...asked, sessionId, content: { parts: [...(begun.at(-1)?.parts ?? [])] } };
  try {
    const run = await startRun(context, http, message);
    markBegun(http, idempotencyKey);
    return run;
  } catch (error) {
    // A run that is refused leaves no session behind.
    if (isOwn && begun.length > 1 && isRefusal(error)) await context.sessions.deleteSession({ session }, unary);
    throw error;
  }
}

/** Tells clients of OpenAI not to repeat a request that has had its effect, whatever becomes of its answer. With a key it has it once. */
export function markBegun({ reply }: Http, idempotencyKey: string): void {
  if (idempotencyKey === '') reply.header('x-should-retry', 'false');
}

/** The instructions stand in front of the user's first message. */
function instructed(turns: readonly Turn[], instructions: readonly Part[]): readonly Turn[] {
  const first = turns.findIndex(({ role }) => role === 'user');
  return turns.map(({ role, parts }, index) => ({
    role,
    parts: index === first ? [...instructions, ...parts] : parts,
  }));
}

async function isThere({ sessions }: Context, session: Omit<DoorRun, 'invocationId'>): Promise<boolean> {
  try {
    await sessions.listEvents({ session, limit: 1 }, unary);
    return true;
  } catch (error) {
    if (isMeshError(error) && error.reason === 'session_not_found') return false;
    throw error;
  }
}

const unsure = new Set(['unavailable', 'deadline_exceeded', 'canceled', 'internal']);

/** Whether nothing was stored for certain. */
function isRefusal(error: unknown): boolean {
  return isMeshError(error) && !unsure.has(error.code);
}
