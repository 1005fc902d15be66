import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { RunRequest, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { messageInvalid, runPostponed, shuttingDown } from '../errors.ts';
import { checkMessage } from '../execution/events/check-message.ts';
import { createViewer } from '../execution/viewers/viewer.ts';
import type { Handlers } from './handlers.ts';

const acceptTimeoutMs = 10_000;

/** Accepts a run and shows it. The run is durable when `accepted` is sent, and goes on when the caller leaves. */
export function run(context: Context): Handlers['run'] {
  return async function* (request) {
    const viewer = createViewer(request.streaming);
    const invocationId = await accept(context, request, viewer);
    const accepted: MessageInitShape<typeof RunResponseSchema> = {
      kind: { case: 'accepted', value: { invocationId } },
    };
    yield accepted;
    yield* viewer.responses();
  };
}

/** Does not stop when the caller leaves: a turn that the sessions service has granted must be started. */
async function accept(context: Context, request: RunRequest, viewer: ReturnType<typeof createViewer>): Promise<string> {
  if (context.draining.aborted) throw shuttingDown();
  const { session, messageJson, streaming } = request;
  if (session === undefined) throw messageInvalid('A run needs a session.');
  context.registry.get(session.appName);
  const answeredCallIds = await checkRequest(context, session, request);
  const known = context.histories.get(session);
  const begin = {
    session,
    invocationId: request.invocationId,
    messageJson,
    stateDeltaJson: request.stateDeltaJson,
    customMetadataJson: request.customMetadataJson,
    answeredCallIds,
    owner: context.owner,
    window: context.config.historyWindow,
    streaming,
    ...(known && { known: { sessionPk: known.sessionPk, lastSeq: known.lastSeq } }),
  };
  const { invocationId, turn } = await context.sessions.beginTurn(begin, { timeoutMs: acceptTimeoutMs });
  if (turn !== undefined) context.executor.start(turn, viewer, known);
  else if (context.draining.aborted) viewer.fail(runPostponed);
  else context.waiting.add({ session, invocationId }, viewer);
  return invocationId;
}

/** Returns the ids of the calls that the message answers. A missing session is reported before mistakes in the message. */
async function checkRequest(
  context: Context,
  session: SessionKey,
  { messageJson, invocationId }: RunRequest,
): Promise<string[]> {
  try {
    if (messageJson.length === 0 && invocationId === '') {
      throw messageInvalid('Running an agent requires either a new_message or an invocation_id to resume.');
    }
    return checkMessage(messageJson);
  } catch (error) {
    await requireSession(context, session);
    throw error;
  }
}

async function requireSession({ sessions }: Context, session: SessionKey): Promise<void> {
  const found = new AbortController();
  const options = { timeoutMs: acceptTimeoutMs, signal: found.signal };
  for await (const _ of sessions.getSession({ session }, options)) break;
  found.abort();
}
