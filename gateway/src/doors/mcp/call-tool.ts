import type {
  CallToolRequestParams,
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { unary } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { HttpError, InvalidRequest } from '../../edge/errors/request-error.ts';
import { requestCheck } from '../../edge/validation/index.ts';
import { createTeller, type Piece } from '../road/pieces.ts';
import { problemText } from '../road/problem-text.ts';
import type { DoorRun } from '../road/start-run.ts';
import { waitingCalls } from '../road/waiting-calls.ts';
import { watchRun } from '../road/watch-run.ts';
import { beginRun } from './begin-run.ts';
import type { DoorCall } from './door-call.ts';
import { printRequestState } from './request-state.ts';
import { createToolProgress } from './tool-progress.ts';
import { hear, resultOf, type Said } from './tool-result.ts';
import { ToolArguments, toolName } from './tools.ts';
import { elicitations } from './waiting.ts';

const check = requestCheck(ToolArguments, 'body');
/** Code of JSON-RPC for parameters that are not valid. */
const invalidParams = -32_602;

/** Runs the app that a tool is, and waits for its end or its question. Errors are results, which the caller's model reads. */
export async function callTool(
  door: DoorCall,
  { name, arguments: sent = {} }: CallToolRequestParams,
  call: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const app = door.apps.find((one) => toolName(one.name) === name);
  if (app === undefined) throw new door.mcp.ProtocolError(invalidParams, `Unknown tool: ${name}`);
  let run: DoorRun | undefined;
  try {
    run = await beginRun(door, { appName: app.name, args: argumentsOf(sent), call });
    forgetBody(door.request);
    const said: Said = { text: '', files: [] };
    const end = await endOf(door, { run, call, said });
    if (end !== undefined) return questionOf(door, end, call) ?? resultOf(end, said);
    await leave(door, run);
    // A client that has left does not read this.
    throw new HttpError(401, 'The credential of this call was revoked.');
  } catch (error) {
    const goesOn = run === undefined ? '' : ` It is the run ${run.invocationId} of the session ${run.sessionId}.`;
    return { content: [{ type: 'text', text: `${textOf(door, error)}${goesOn}` }], isError: true };
  }
}

function argumentsOf(sent: Record<string, unknown>): ToolArguments {
  const outcome = check(sent);
  if ('issues' in outcome) throw new InvalidRequest(outcome.issues);
  return outcome.value as ToolArguments;
}

interface Watched {
  readonly run: DoorRun;
  readonly call: ServerContext;
  readonly said: Said;
}

/** The run as it ended or began to wait; undefined when the client has left before, or may not read it any more. */
async function endOf({ context, revoked }: DoorCall, { run, call, said }: Watched): Promise<LedgerRun | undefined> {
  const signal = AbortSignal.any([call.mcpReq.signal, revoked]);
  const teller = createTeller();
  const tell = notifier(call);
  for await (const told of watchRun(context, run, { signal })) {
    if ('end' in told) return told.end;
    for (const piece of teller.add(told.frame)) {
      hear(said, piece);
      if (!signal.aborted) await tell(piece);
    }
  }
  return undefined;
}

/** Tells the client what the run does, where it has asked for that. */
function notifier({ mcpReq: { _meta, notify } }: ServerContext): (piece: Piece) => Promise<void> {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return async () => undefined;
  const progressOf = createToolProgress();
  return async (piece) => {
    const progress = progressOf(piece);
    if (progress !== undefined) {
      await notify({ method: 'notifications/progress', params: { progressToken, ...progress } });
    }
  };
}

/** Clients of the newer protocol cancel a call by closing its stream; in the older one that means nothing. */
async function leave({ context, era, reply }: DoorCall, run: DoorRun): Promise<void> {
  if (era === 'modern' && reply.raw.destroyed) await context.sessions.cancelRun(run, unary);
}

/** Questions of a run that waits, for clients that ask their user; undefined for others, and when the user has been asked and did not answer. */
function questionOf(
  { mcp, era }: DoorCall,
  run: LedgerRun,
  { mcpReq }: ServerContext,
): InputRequiredResult | undefined {
  const { envelope, inputResponses = {} } = mcpReq;
  const { [mcp.CLIENT_CAPABILITIES_META_KEY]: capabilities } = (envelope ?? {}) as Record<string, ClientCapabilities>;
  if (era !== 'modern' || capabilities?.elicitation === undefined) return undefined;
  const calls = waitingCalls(run).filter(({ functionCallId }) => !Object.hasOwn(inputResponses, functionCallId));
  if (calls.length === 0) return undefined;
  return mcp.inputRequired({ inputRequests: elicitations(mcp, calls), requestState: printRequestState(run) });
}

function textOf({ context: { log }, request }: DoorCall, error: unknown): string {
  const problem = problemOf(error);
  if (problem !== undefined) return problemText(problem);
  log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'unexpected error');
  return 'Internal Server Error';
}
