import type { Context } from '../context.ts';
import { acceptRun } from '../execution/accept-run.ts';
import type { Handlers } from './handlers.ts';

/** Accepts a run without a viewer. The run is durable when this answers. */
export function startRun(context: Context): Handlers['startRun'] {
  return ({ session, messageJson, stateDeltaJson, customMetadataJson, invocationId, idempotencyKey, isBound }) => {
    const content = { session, messageJson, stateDeltaJson, customMetadataJson, invocationId, idempotencyKey, isBound };
    return acceptRun(context, { ...content, streaming: false });
  };
}
