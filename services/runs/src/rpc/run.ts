import type { RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { acceptRun } from '../execution/accept-run.ts';
import { createViewer } from '../execution/viewers/viewer.ts';
import type { Handlers } from './handlers.ts';

/** Accepts a run and shows it. The run is durable when `accepted` is sent, and goes on when the caller leaves. */
export function run(context: Context): Handlers['run'] {
  return async function* (request) {
    const viewer = createViewer(request.streaming);
    const { session, messageJson, stateDeltaJson, customMetadataJson, invocationId, streaming } = request;
    const content = { session, messageJson, stateDeltaJson, customMetadataJson, invocationId, streaming };
    const run = await acceptRun(context, { ...content, idempotencyKey: '' }, viewer);
    const accepted: MessageInitShape<typeof RunResponseSchema> = {
      kind: { case: 'accepted', value: { invocationId: run.invocationId } },
    };
    yield accepted;
    yield* viewer.responses();
  };
}
