import type { RunRequest, RunResponseSchema, RunsService } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { messageInvalid, shuttingDown } from '../errors.ts';
import { checkMessage } from '../execution/check-message.ts';
import { createViewer } from '../execution/viewer.ts';

const acceptTimeoutMs = 10_000;

/** Accepts a run and shows it. The run is durable when `accepted` is sent, and goes on when the caller leaves. */
export function createRun(context: Context): ServiceImpl<typeof RunsService>['run'] {
  return async function* run(request) {
    const viewer = createViewer(request.streaming);
    const invocationId = await accept(context, request, viewer);
    const accepted: MessageInitShape<typeof RunResponseSchema> = {
      kind: { case: 'accepted', value: { invocationId } },
    };
    yield accepted;
    yield* viewer.responses();
  };
}

/** Not cut off with the caller: between the answer of the sessions service and the start of the run nothing may be lost. */
async function accept(context: Context, request: RunRequest, viewer: ReturnType<typeof createViewer>): Promise<string> {
  if (context.draining.aborted) throw shuttingDown();
  const { session, messageJson, streaming } = request;
  if (session === undefined) throw messageInvalid('A run needs a session.');
  context.registry.get(session.appName);
  if (messageJson.length === 0 && request.invocationId === '') {
    throw messageInvalid('Running an agent requires either a new_message or an invocation_id to resume.');
  }
  const begin = {
    session,
    invocationId: request.invocationId,
    messageJson,
    stateDeltaJson: request.stateDeltaJson,
    customMetadataJson: request.customMetadataJson,
    answeredCallIds: checkMessage(messageJson),
    owner: context.owner,
    window: context.config.historyWindow,
    streaming,
  };
  const { invocationId, turn } = await context.sessions.beginTurn(begin, { timeoutMs: acceptTimeoutMs });
  if (turn === undefined) context.waiting.add({ session, invocationId }, viewer);
  else context.executor.start(turn, viewer);
  return invocationId;
}
