import { type Continuation, LeavePolicy, type RunRequest } from '@agentmesh/proto/runs/v1';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { leavingOf } from '@agentmesh/lib/rpc';
import type { Leaving } from '@agentmesh/lib/wait';
import type { Context } from '../context.ts';
import { shuttingDown } from '../errors.ts';
import { acceptRun } from '../execution/accept-run.ts';
import { createViewer, type Viewer } from '../execution/viewer.ts';
import { replayRun } from '../execution/watching/replay-run.ts';
import type { Handlers } from './handlers.ts';

const cancelTimeoutMs = 5_000;

/**
 * Accepts a run and shows it, whichever process executes it; or goes on showing one that another process has accepted. The run is durable when `accepted`
 * is sent, and goes on when the caller leaves, unless the request or the app says otherwise.
 */
export function run(context: Context): Handlers['run'] {
  return async function* (request, call) {
    const left = leavingOf(call);
    const viewer = createViewer(request.streaming);
    const { already, ...shown } = await (request.continues === undefined
      ? accept(context, request, { viewer, left })
      : goOn(context, request.continues, viewer));
    let isOver = false;
    try {
      const { invocationId, acceptedSeq } = shown;
      yield { kind: { case: 'accepted', value: { invocationId, already, acceptedSeq } } };
      for (let next = viewer.next(left); ; next = viewer.next(left)) {
        const response = next instanceof Promise ? await next : next;
        if (response === undefined) break;
        yield response;
      }
      const { leftAfterSeq: afterSeq } = viewer;
      if (afterSeq !== undefined) yield* replayRun(context, { request, ...shown, afterSeq }, call.signal);
      isOver = left.ended === undefined;
    } finally {
      viewer.close();
      if (shown.cancels && !isOver) await cancel(context, request.session, shown.invocationId);
    }
  };
}

/** A run that a caller is shown. */
interface ShownRun {
  readonly invocationId: string;
  /** See Accepted. */
  readonly acceptedSeq: number;
  /** An earlier request has started it: its events are read again. */
  readonly already: boolean;
  /** Whether it is cancelled when the caller leaves. */
  readonly cancels: boolean;
}

async function accept(
  context: Context,
  request: RunRequest,
  caller: { readonly viewer: Viewer; readonly left: Leaving },
): Promise<ShownRun> {
  const { invocationId, already, acceptedSeq, onLeave } = await acceptRun(context, request, caller);
  if (already) caller.viewer.leaveToOther();
  const cancels = request.cancelOnLeave || (request.onLeave || onLeave) === LeavePolicy.CANCEL;
  return { invocationId, already, acceptedSeq, cancels: cancels && !already };
}

async function goOn(
  { draining }: Context,
  { invocationId, afterSeq, acceptedSeq, cancels }: Continuation,
  viewer: Viewer,
): Promise<ShownRun> {
  if (draining.aborted) throw shuttingDown();
  viewer.leaveToOther(afterSeq);
  return { invocationId, already: false, acceptedSeq, cancels };
}

/** The caller has left, so nobody can be told of a failure. */
async function cancel(
  { sessions, log }: Context,
  session: SessionKey | undefined,
  invocationId: string,
): Promise<void> {
  if (session === undefined) return;
  const { accountId, appName, userId, sessionId } = session;
  await sessions
    .cancelRun({ accountId, appName, userId, sessionId, invocationId }, { timeoutMs: cancelTimeoutMs })
    .catch((err: unknown) => log.warn({ err, invocationId }, 'a run whose caller has left could not be cancelled'));
}
