import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import { type RunProgressed, type RunsWatched, RunsWatchedSchema } from '@agentmesh/proto/runs/v1/live';
import { SessionKeySchema, type Turn } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { LRUCache } from 'lru-cache';
import type { RunName } from '../admission/waiting-runs.ts';
import { LiveAttempt } from './live-attempt.ts';
import type { LiveNews, NewsHandler } from './live-news.ts';
import { numberBefore } from './partial-numbers.ts';
import { ProgressSender } from './progress-sender.ts';
import { RunFeed } from './run-feed.ts';

const renewMs = 5_000;
/** A run counts as watched elsewhere for this long after a hint, so that two hints may get lost. */
const interestMs = 16_000;
const mostInterests = 10_000;
const clock = { now: () => performance.now() };
const mostRunsOfHint = 500;

export interface LiveRunsOptions {
  /** Id of this process as an executor. */
  readonly owner: string;
  readonly bus: Pick<Bus, 'publish'>;
  readonly log: Logger;
}

/**
 * The partial events of runs for viewers in any process. A process with viewers says so with a hint, which it repeats; the executor of such a run
 * sends hints of its progress. For runs that nobody watches no event is made and nothing is sent. Hints may get lost: stored events are read from
 * the sessions service.
 */
export class LiveRuns implements Disposable {
  readonly #options: LiveRunsOptions;
  /** The feeds of runs that have viewers here. */
  readonly #feeds = new Map<string, RunFeed>();
  readonly #attempts = new Map<string, LiveAttempt>();
  /** Runs that are watched elsewhere. */
  readonly #elsewhere = new LRUCache<string, true>({ ttl: interestMs, max: mostInterests, perf: clock });
  readonly #sender: ProgressSender;
  /** Runs whose partial events are about to be asked for. */
  readonly #asked = new Map<string, RunName>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(options: LiveRunsOptions) {
    this.#options = options;
    this.#sender = new ProgressSender(options);
  }

  /**
   * Calls `onNews` for what the run does, wherever it executes, until the returned function is called: first for the partial events since the newest
   * stored event (at once when this process knows them), then for each further one. Never twice for the same, and never backwards.
   */
  watch(run: RunName, onNews: NewsHandler): () => void {
    const name = nameOf(run);
    const feed = this.#feeds.get(name) ?? this.#openFeed(name, run);
    const leave = feed.watch(onNews);
    return () => {
      leave();
      if (!feed.isWatched && this.#feeds.get(name) === feed) this.#feeds.delete(name);
      if (this.#feeds.size === 0) this[Symbol.dispose]();
    };
  }

  /** To be called when this process begins to execute a turn. */
  attempt(turn: Pick<Turn, 'session' | 'invocationId' | 'lastSeq' | 'attempt' | 'isTakeover'>): LiveAttempt {
    const { session, invocationId, lastSeq } = turn;
    const run = { session: session ?? create(SessionKeySchema), invocationId };
    const name = nameOf(run);
    const attempt: LiveAttempt = new LiveAttempt(
      { lastSeq, begin: numberBefore(turn) },
      {
        tell: (makeNews) => this.#tell(name, run, makeNews),
        end: () => this.#attempts.get(name) === attempt && this.#attempts.delete(name),
      },
    );
    this.#attempts.set(name, attempt);
    return attempt;
  }

  /** Takes a hint that another process has viewers. */
  onWatched({ owner, runs }: Pick<RunsWatched, 'owner' | 'runs'>): void {
    if (owner === this.#options.owner) return;
    for (const { session, invocationId, isNew } of runs) {
      if (session === undefined) continue;
      const run = { session, invocationId };
      const name = nameOf(run);
      this.#elsewhere.set(name, true);
      const attempt = isNew ? this.#attempts.get(name) : undefined;
      if (attempt !== undefined) this.#sender.add({ name, run, news: attempt.soFar() });
    }
  }

  /** Takes a hint of what a run does that another process executes. */
  onProgressed({ owner, run, lastSeq, firstPartial, partials }: RunProgressed): void {
    if (owner === this.#options.owner || run?.session === undefined) return;
    const name = nameOf({ session: run.session, invocationId: run.invocationId });
    this.#feeds.get(name)?.add({ lastSeq, firstPartial, partials });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
  }

  #openFeed(name: string, run: RunName): RunFeed {
    const feed = new RunFeed(run, () => this.#ask(name, run));
    this.#feeds.set(name, feed);
    this.#renewal ??= setInterval(() => this.#announce([...this.#feeds.values()]), renewMs).unref();
    const attempt = this.#attempts.get(name);
    if (attempt === undefined) this.#ask(name, run);
    else feed.add(attempt.soFar());
    return feed;
  }

  /** Asks the executors of runs for their partial events, soon: all that are asked for meanwhile together. */
  #ask(name: string, run: RunName): void {
    this.#asked.set(name, run);
    if (this.#asked.size > 1) return;
    setImmediate(() => {
      const runs = Array.from(this.#asked.values(), (one) => ({ run: one, isNew: true }));
      this.#asked.clear();
      this.#announce(runs);
    });
  }

  #announce(asked: readonly { readonly run: RunName; readonly isNew?: boolean }[]): void {
    const { bus, log, owner } = this.#options;
    const runs = asked.map(({ run: { session, invocationId }, isNew = false }) => ({ session, invocationId, isNew }));
    for (let from = 0; from < runs.length; from += mostRunsOfHint) {
      const hint = { owner, runs: runs.slice(from, from + mostRunsOfHint) };
      bus.publish(RunsWatchedSchema, hint).catch((err: unknown) => {
        log.debug({ err }, 'other processes were not told that runs are watched: viewers wait for stored events');
      });
    }
  }

  #tell(name: string, run: RunName, makeNews: () => LiveNews): void {
    const isElsewhere = this.#elsewhere.size > 0 && this.#elsewhere.get(name) === true;
    const feed = this.#feeds.get(name);
    if (!isElsewhere && feed === undefined) return;
    const news = makeNews();
    feed?.add(news);
    if (isElsewhere) this.#sender.add({ name, run, news });
  }
}

/** Unlike any other one's, by the lengths of its parts. JSON would cost each run a microsecond more. */
function nameOf({ session, invocationId }: RunName): string {
  const { accountId, appName, userId, sessionId } = session;
  const lengths = `${accountId.length}/${appName.length}/${userId.length}/${sessionId.length}/`;
  return lengths + accountId + appName + userId + sessionId + invocationId;
}
