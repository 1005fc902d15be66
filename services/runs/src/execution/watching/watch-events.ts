import { Wake } from '@agentmesh/lib/wait';
import type { WatchRunRequest, WatchRunResponseSchema } from '@agentmesh/proto/runs/v1';
import {
  type LedgerRun,
  LedgerRunSchema,
  type ReadRunResponse,
  RunStatus,
  SessionKeySchema,
} from '@agentmesh/proto/sessions/v1';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Running } from '../running.ts';
import { PartialInbox } from './partial-inbox.ts';
import { RunPlace } from './run-place.ts';
import type { RunWatchers } from './run-watchers.ts';

/** A lost hint delays an event by no more than this. */
const lookMs = 1_000;
const readTimeoutMs = 10_000;
/** Bytes of stored events that are read at a time: what waits in memory for a viewer who reads slowly. */
const pageBytes = 256 * 1024;

/** Surroundings of those who watch runs. */
export interface Watching extends Pick<Running, 'sessions' | 'draining'> {
  /** Partial events of runs for viewers, wherever the runs execute. */
  readonly live: LiveRuns;
  /** Streams of runs. */
  readonly runWatchers: RunWatchers;
}

type WatchAnswer = MessageInitShape<typeof WatchRunResponseSchema>;

/** The run to watch, and the place to begin after. */
type WatchedRun = Pick<WatchRunRequest, 'accountId' | 'invocationId' | 'userId' | 'afterSeq' | 'afterPartial'> &
  Partial<Pick<WatchRunRequest, 'appName' | 'sessionId'>>;

/**
 * Streams the events of a run behind a place. Stored events are read from the ledger; partial ones come from the executor. The first answer comes at
 * once, also without events. It ends without `isOver` when `signal` aborts and when this process is stopping.
 */
export async function* watchEvents(
  context: Watching,
  run: WatchedRun,
  signal: AbortSignal,
): AsyncGenerator<WatchAnswer> {
  const { accountId, invocationId, userId, appName = '', sessionId = '', afterSeq, afterPartial } = run;
  const place = new RunPlace({ seq: afterSeq, partial: afterPartial });
  const read = () => {
    const page = { accountId, invocationId, userId, appName, sessionId, afterSeq: place.seq, maxBytes: pageBytes };
    return context.sessions.readRun(page, { timeoutMs: readTimeoutMs });
  };
  const first = await read();
  const watch = openWatch(context, { accountId, invocationId }, first.run);
  try {
    yield* follow({ place, read, watch, signal: AbortSignal.any([signal, context.draining]) }, first);
  } finally {
    watch.close();
  }
}

interface Watch {
  readonly inbox: PartialInbox;
  /** Woken by news of the executor, and when the run may have ended. */
  readonly wake: Wake;
  /** Whether the run may have ended since the last call. */
  mayHaveEnded(): boolean;
  close(): void;
}

function openWatch(
  { live, runWatchers }: Watching,
  name: Pick<WatchRunRequest, 'accountId' | 'invocationId'>,
  run: LedgerRun | undefined,
): Watch {
  const [inbox, wake] = [new PartialInbox(), new Wake()];
  let hasEnded = false;
  const leave = runWatchers.add(name, () => {
    hasEnded = true;
    wake.wake();
  });
  const { appName, userId, sessionId } = run ?? create(LedgerRunSchema);
  const session = create(SessionKeySchema, { accountId: name.accountId, appName, userId, sessionId });
  const unwatch = live.watch({ session, invocationId: name.invocationId }, (news) => {
    inbox.add(news);
    wake.wake();
  });
  return {
    inbox,
    wake,
    mayHaveEnded: () => {
      const had = hasEnded;
      hasEnded = false;
      return had;
    },
    close: () => {
      unwatch();
      leave();
    },
  };
}

interface Following {
  readonly place: RunPlace;
  readonly read: () => Promise<ReadRunResponse>;
  readonly watch: Watch;
  readonly signal: AbortSignal;
}

/** `page` was read before the watch began, so it is the last one only if the run was over. */
async function* follow({ place, read, watch, signal }: Following, page: ReadRunResponse): AsyncGenerator<WatchAnswer> {
  let wait = '0';
  for (let next = page, ahead: Promise<ReadRunResponse> | undefined; !signal.aborted; next = await (ahead ?? read())) {
    const { run, events, more, lastSeq } = next;
    const frames = place.stored(events);
    ahead = more ? readAhead(read) : undefined;
    if (!more && isOver(run)) {
      yield { frames, ...(run && { run }), isOver: true };
      return;
    }
    const hasMoved = run !== undefined && waitOf(run) !== wait;
    wait = waitOf(run);
    if (frames.length > 0 || hasMoved || next === page) yield { frames, ...(hasMoved && { run }) };
    if (!more && next !== page) yield* partialsUntilStored({ place, watch, signal }, lastSeq);
  }
}

/** Reads the next page while the viewer takes the present one. Its failure is seen when it is awaited. */
function readAhead(read: () => Promise<ReadRunResponse>): Promise<ReadRunResponse> {
  const page = read();
  page.catch(() => undefined);
  return page;
}

/** Sends partial events until the ledger has news: at the latest after `lookMs`. */
async function* partialsUntilStored(
  { place, watch, signal }: Omit<Following, 'read'>,
  lastSeq: number,
): AsyncGenerator<WatchAnswer> {
  for (let isWoken = true; isWoken && !signal.aborted; ) {
    const frames = watch.inbox.takeUpTo(Math.max(lastSeq, place.seq)).flatMap((news) => place.partials(news));
    if (frames.length > 0) yield { frames };
    if (!watch.inbox.isEmpty || watch.mayHaveEnded()) return;
    isWoken = await watch.wake.wait({ timeoutMs: lookMs, signal });
  }
}

/** Place in the queue, or what a running run waits for. */
function waitOf(run: LedgerRun | undefined): string {
  if (run?.status === RunStatus.RUNNING && run.waitingOn !== '') return run.waitingOn;
  return String(run?.queuePosition ?? 0);
}

function isOver(run: LedgerRun | undefined): boolean {
  return run?.status !== RunStatus.QUEUED && run?.status !== RunStatus.RUNNING;
}
