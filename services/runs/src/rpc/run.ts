import { LeavePolicy, type RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { acceptRun } from '../execution/accept-run.ts';
import { createViewer } from '../execution/viewer.ts';
import { replayRun } from '../execution/watching/replay-run.ts';
import type { Handlers } from './handlers.ts';

const cancelTimeoutMs = 5_000;

/** Accepts a run and shows it, whichever process executes it. The run is durable when `accepted` is sent, and goes on when the caller leaves, unless the request or the app says otherwise. */
export function run(context: Context): Handlers['run'] {
  return async function* (request, { signal }) {
    const viewer = createViewer(request.streaming);
    const { cancelOnLeave, onLeave, $typeName: _name, $unknown: _fields, ...content } = request;
    const { invocationId, already, ...run } = await acceptRun(context, content, { viewer, signal });
    const cancels = cancelOnLeave || (onLeave || run.onLeave) === LeavePolicy.CANCEL;
    const accepted: MessageInitShape<typeof RunResponseSchema> = {
      kind: { case: 'accepted', value: { invocationId, already } },
    };
    if (already) {
      yield accepted;
      yield* replayRun(context, { request, invocationId }, signal);
      return;
    }
    let isOver = false;
    try {
      yield accepted;
      yield* viewer.responses(signal);
      if (viewer.isLeftToOther) yield* replayRun(context, { request, invocationId }, signal);
      isOver = !signal.aborted;
    } finally {
      if (cancels && !isOver) await cancel(context, content.session, invocationId);
    }
  };
}

/** The caller has left, so nobody can be told of a failure. */
async function cancel(
  { sessions, log }: Context,
  session: SessionKey | undefined,
  invocationId: string,
): Promise<void> {
  if (session === undefined) return;
  const { accountId, userId } = session;
  await sessions
    .cancelRun({ accountId, userId, invocationId }, { timeoutMs: cancelTimeoutMs })
    .catch((err: unknown) => log.warn({ err, invocationId }, 'a run whose caller has left could not be cancelled'));
}
