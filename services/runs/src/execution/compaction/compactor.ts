import type { WireEvent } from '@agentmesh/proto/event';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { loggableError } from '../../models/index.ts';
import type { HistoryWindow } from '../../apps/turns/history/history-window.ts';
import type { App } from '../../apps/building/app.ts';
import { type CompactionJob, summarizeSession, type SummarizeDeps } from './summarize-session.ts';
import type { Logger } from '@agentmesh/lib/telemetry';
import { promptTokens } from './prompt-tokens.ts';

/** A turn that has ended, with the events that its agents saw and those that they wrote. */
export interface EndedTurn {
  readonly app: App;
  readonly turn: Turn;
  readonly window: HistoryWindow;
  readonly written: readonly WireEvent[];
}

export interface CompactorOptions extends SummarizeDeps {
  readonly log: Logger;
}

/** Sessions that one process summarizes at once, and those that wait for it. A session that finds no place is looked at after its next turn. */
const [mostRunning, mostWaiting] = [8, 1_000];
/** Longest time for one summary. The session is this process's for two minutes. */
const timeoutMs = 90_000;

/**
 * Summarizes sessions in the background when their turns have ended. This process remembers no sessions: after each turn the session itself tells
 * whether it is due, so a summary that a crash or a failing model has prevented is made after a later turn.
 */
export interface Compactor {
  /** Looks at the session of a turn if its app wants summaries. Does not wait for it. */
  note(ended: EndedTurn): void;
  /** Resolves when no session is being summarized. */
  idle(): Promise<void>;
  /** Ends everything. Summaries that are not made yet are made after later turns. */
  stop(): void;
}

export function createCompactor(options: CompactorOptions): Compactor {
  return new SessionCompactor(options);
}

class SessionCompactor implements Compactor {
  readonly #options: CompactorOptions;
  readonly #waiting = new Map<string, CompactionJob>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  note({ app, turn, window, written }: EndedTurn): void {
    const { compaction: rule } = app.settings;
    const { session, invocationId } = turn;
    if (rule === undefined || session === undefined || this.#stopped.signal.aborted) return;
    const { log } = this.#options;
    const model = app.summaryModel ?? (rule.model === undefined ? undefined : { names: [rule.model] });
    if (model === undefined) {
      log.warn({ app: app.name }, 'sessions are not summarized: events_compaction_config needs summarizer.model');
      return;
    }
    const isLarge = rule.tokenThreshold !== undefined && promptTokens(window, written) >= rule.tokenThreshold;
    if (!isLarge && rule.interval === undefined) return;
    const name = JSON.stringify([session.accountId, session.appName, session.userId, session.sessionId]);
    if (this.#waiting.size >= mostWaiting && !this.#waiting.has(name)) return;
    this.#waiting.set(name, { session, invocationId, rule, model, isLarge });
    this.#startNext();
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  stop(): void {
    this.#waiting.clear();
    this.#stopped.abort();
  }

  #startNext(): void {
    for (const [name, job] of this.#waiting) {
      if (this.#running.size >= mostRunning) return;
      this.#waiting.delete(name);
      const running = this.#work(job).finally(() => {
        this.#running.delete(running);
        this.#startNext();
      });
      this.#running.add(running);
    }
  }

  async #work(job: CompactionJob): Promise<void> {
    const { log } = this.#options;
    const { invocationId, session } = job;
    const about = { app: session.appName, invocationId };
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      if (await summarizeSession(this.#options, job, signal)) log.info(about, 'session summarized');
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      log.warn({ err: loggableError(error), ...about }, 'a session could not be summarized');
    }
  }
}
