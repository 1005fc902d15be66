import { randomUUID } from 'node:crypto';
import { uuidOf } from '@agentmesh/lib/idempotency';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { unary } from '../../context.ts';
import { BadRequest, HttpError } from '../../edge/errors/request-error.ts';
import { leavableCall } from '../../edge/idempotency/keyed-call.ts';
import { doorKeyOf } from '../../edge/idempotency/run-key.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { namesOfCalls } from '../road/earlier-answer.ts';
import { endUserOf } from '../road/end-user.ts';
import { type DoorRun, startRun } from '../road/start-run.ts';
import { type WaitingCall, waitingCalls } from '../road/waiting-calls.ts';
import { runIdOf } from './cancel-call.ts';
import type { DoorCall } from './door-call.ts';
import { parseRequestState } from './request-state.ts';
import type { ToolArguments } from './tools.ts';
import { answersOfElicitation } from './waiting.ts';

interface ToolCall {
  readonly appName: string;
  readonly args: ToolArguments;
  readonly call: ServerContext;
}

/** Starts a run, or goes on with one that waits for an answer. It is stored when this returns. */
export async function beginRun(door: DoorCall, tool: ToolCall): Promise<DoorRun> {
  const { args, call } = tool;
  const { answer, message } = args;
  const { mcp, request } = door;
  const asked = call.mcpReq.requestState();
  if (typeof asked === 'string') {
    const { inputResponses = {} } = call.mcpReq;
    const { run_id: runId, ...place } = parseRequestState(asked);
    const to = (calls: readonly WaitingCall[]) => answersOfElicitation(mcp, inputResponses, calls);
    return answerRun(door, { ...tool, args: { ...args, ...place } }, { runId, to });
  }
  if (answer) {
    const { run_id: runId, call_id: id, response } = answer;
    return answerRun(door, tool, { runId, to: () => [{ id, response }] });
  }
  if (!message) throw new BadRequest('Either message or answer is required.');
  const key = keyOf(request, call);
  // A call that is repeated without a session means the one that the first call has made.
  const sessionId = args.session_id || (key === '' ? randomUUID() : uuidOf('mcp', key));
  // A repetition has another number, and would be another request.
  const invocationId = key === '' ? runIdOf(request, call.mcpReq.id) : undefined;
  return startRun(door.context, door, {
    appName: tool.appName,
    userId: endUserOf(request.identity, args.user),
    sessionId,
    content: { parts: [{ text: message }] },
    streaming: call.mcpReq._meta?.progressToken !== undefined,
    idempotencyKey: key,
    ...(invocationId !== undefined && { invocationId }),
  });
}

/** The key of the header, or of the `_meta` of a call that an app of a mesh makes; empty for none. */
function keyOf({ headers, identity }: FastifyRequest, { mcpReq }: ServerContext): string {
  const sent = headers['idempotency-key'] ?? mcpReq._meta?.['agentmesh/idempotencyKey'];
  return typeof sent === 'string' ? doorKeyOf('mcp', { headers: { 'idempotency-key': sent }, identity }) : '';
}

/** Answers to calls of a run. The client names the run, which is checked like every name. */
interface Answers {
  readonly runId: string;
  readonly to: (calls: readonly WaitingCall[]) => readonly { readonly id: string; readonly response: object }[];
}

async function answerRun(
  { context, request, reply }: DoorCall,
  { appName, args, call }: ToolCall,
  { runId, to }: Answers,
): Promise<DoorRun> {
  const { identity } = request;
  const { accountId, grant } = identity;
  const isBound = grant?.userId !== undefined;
  const userId = isBound || args.user ? endUserOf(identity, args.user) : '';
  const name = { accountId, appName, userId, sessionId: args.session_id ?? '', invocationId: runId };
  const { run } = await context.sessions.getRun(name, unary);
  if (run === undefined) throw new HttpError(404, 'There is no such run.');
  const found = { accountId, appName, userId: run.userId, sessionId: run.sessionId, invocationId: runId };
  const given = to(waitingCalls(run));
  if (given.length > 0) {
    const idempotencyKey = keyOf(request, call);
    const names = await namesOfCalls(context, found, {
      record: run,
      isKeyed: idempotencyKey !== '',
      callIds: new Set(given.map(({ id }) => id)),
      signal: readingFor(reply.raw).signal,
    });
    const answers = given.map(({ id, response }) => ({ id, name: names.get(id) ?? '', response }));
    const content = { functionResponsesJson: encodeJson(answers), idempotencyKey };
    await context.runs.answerRun({ ...found, ...content, isBound }, leavableCall(reply));
  }
  context.arriving.leave(request);
  return found;
}
