import type { Logger, Metrics } from '@agentmesh/lib/telemetry';
import type { Database } from '@agentmesh/lib/pg';
import { hashOfNames } from '../../hash-of-names.ts';
import { insertTraces } from '../../store/traces.ts';
import type { TracedSpan } from './attempt-trace.ts';
import { genAiSpan } from './gen-ai-span.ts';
import { isInLedger } from './ledger-trace.ts';
import { isSampled, type TraceSink } from './watch-attempts.ts';

interface WaitingTrace {
  readonly accountId: string;
  readonly invocationId: string;
  readonly userId: string;
  readonly sessionSha256: Uint8Array;
  readonly attempt: number;
  readonly spansJson: string;
}

interface TraceWriterOptions {
  readonly db: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Part of all runs. */
  readonly sample: number;
}

/** Attempts of a run that are stored, and most bytes of each. */
const [mostAttempts, mostBytes] = [32, 32_768];
const pauseMs = 500;
/** Attempts that are written together. */
const batchSize = 200;
/** Attempts that wait for the database; more are dropped. */
const mostWaiting = 2_000;

/**
 * Writes the spans of attempts to the database after the attempts have ended, many in one statement: no run waits for them. They are lost when the
 * process is killed, or when the database does not take them.
 */
export class TraceWriter implements AsyncDisposable {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #sample: number;
  readonly #dropped: () => void;
  #waiting: WaitingTrace[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ db, log, metrics, sample }: TraceWriterOptions) {
    this.#db = db;
    this.#log = log;
    this.#sample = sample;
    const dropped = metrics.counter({
      name: 'agentmesh_runs_traces_dropped_total',
      help: 'Attempts whose spans were not stored, because the database took them too slowly or not at all',
      labelNames: [],
    });
    this.#dropped = () => dropped.inc();
  }

  readonly add: TraceSink = ({ session, invocationId, attempt }, trace) => {
    if (session === undefined || attempt > mostAttempts || isInLedger(attempt, trace.seen)) return;
    if (!isSampled(invocationId, this.#sample)) return;
    if (this.#waiting.length >= mostWaiting) return this.#dropped();
    const { accountId, appName, userId, sessionId } = session;
    const sessionSha256 = hashOfNames(appName, userId, sessionId);
    const spansJson = printSpans(trace.spans());
    this.#waiting.push({ accountId, invocationId, userId, sessionSha256, attempt, spansJson });
    this.#timer ??= setTimeout(() => this.#write(), pauseMs);
  };

  /** Drops what waits of an account that is gone. */
  forget(accountId: string): void {
    this.#waiting = this.#waiting.filter((trace) => trace.accountId !== accountId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, batchSize);
      for (const [accountId, traces] of Map.groupBy(batch, (trace) => trace.accountId)) {
        await insertTraces(this.#db, { accountId, ...columnsOf(traces) }).catch((err: unknown) => {
          this.#log.warn({ err, attempts: traces.length }, 'the spans of attempts were not stored');
          traces.forEach(this.#dropped);
        });
      }
    }
  }
}

function columnsOf(traces: readonly WaitingTrace[]) {
  return {
    invocationIds: traces.map(({ invocationId }) => invocationId),
    userIds: traces.map(({ userId }) => userId),
    sessionHashes: traces.map(({ sessionSha256 }) => sessionSha256),
    attempts: traces.map(({ attempt }) => attempt),
    spans: traces.map(({ spansJson }) => spansJson),
  };
}

/** JSON array of the spans. Those that ended first are left out of one that is too large: the others are around them. */
function printSpans(spans: readonly TracedSpan[]): string {
  const printed: string[] = [];
  let bytes = 2;
  for (const span of spans.toReversed()) {
    const json = JSON.stringify(genAiSpan(span));
    bytes += Buffer.byteLength(json) + 1;
    if (bytes > mostBytes) break;
    printed.unshift(json);
  }
  return `[${printed.join()}]`;
}
