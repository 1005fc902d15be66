import { Wake } from '@agentmesh/lib/wait';
import type { WatchRunRequest, WatchRunResponseSchema } from '@agentmesh/proto/runs/v1';
import { type LedgerRun, type ReadRunResponse, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { RunPlace } from './run-place.ts';

/** A lost hint delays an event by no more than this. */
const lookMs = 1_000;
const readTimeoutMs = 10_000;

export type WatchAnswer = MessageInitShape<typeof WatchRunResponseSchema>;

/** What to watch, and from where. */
export type WatchedRun = Pick<WatchRunRequest, 'accountId' | 'invocationId' | 'userId' | 'afterSeq' | 'afterPartial'>;

/**
 * Streams the stored events of a run behind a place. It ends without `isOver` when `signal` aborts and when this process is stopping.
 */
export async function* watchEvents(
  context: Context,
  run: WatchedRun,
  signal: AbortSignal,
): AsyncGenerator<WatchAnswer> {
  const { accountId, invocationId, userId, afterSeq, afterPartial } = run;
  const place = new RunPlace({ seq: afterSeq, partial: afterPartial });
  const read = () =>
    context.sessions.readRun({ accountId, invocationId, userId, afterSeq: place.seq }, { timeoutMs: readTimeoutMs });
  const first = await read();
  const wake = new Wake();
  const leave = context.runWatchers.add({ accountId, invocationId }, () => wake.wake());
  try {
    yield* follow({ place, read, wake, signal: AbortSignal.any([signal, context.draining]) }, first);
  } finally {
    leave();
  }
}

interface Following {
  readonly place: RunPlace;
  readonly read: () => Promise<ReadRunResponse>;
  /** Woken when the run may have ended. */
  readonly wake: Wake;
  readonly signal: AbortSignal;
}

/** `page` was read before the wake was listened to, so another one is read at once. */
async function* follow({ place, read, wake, signal }: Following, page: ReadRunResponse): AsyncGenerator<WatchAnswer> {
  let queuePosition = 0;
  for (let next = page; !signal.aborted; next = await read()) {
    const { run, events, more } = next;
    const frames = place.stored(events);
    if (!more && isOver(run)) {
      yield { frames, ...(run && { run }), isOver: true };
      return;
    }
    const hasMoved = run !== undefined && run.queuePosition !== queuePosition;
    queuePosition = run?.queuePosition ?? 0;
    if (frames.length > 0 || hasMoved) yield { frames, ...(hasMoved && { run }) };
    if (!more && next !== page) await wake.wait({ timeoutMs: lookMs, signal });
  }
}

function isOver(run: LedgerRun | undefined): boolean {
  return run?.status !== RunStatus.QUEUED && run?.status !== RunStatus.RUNNING;
}
