import type { Database } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Turn } from '@agentmesh/proto/sessions/v1';
import { insertRunLines, selectRunLinesSize } from '../../store/run-logs.ts';
import type { RunLine } from '../../tell-run.ts';
import { AttemptLog, type LogPart } from './attempt-log.ts';
import type { LineSink } from './attempt-trace.ts';
import { isSampled } from './watch-attempts.ts';

interface LogWriterOptions {
  readonly db: Database;
  readonly log: Logger;
  /** Part of all runs. */
  readonly sample: number;
}

const pauseMs = 500;
/** Bytes of lines that wait for the database; more are left out. */
const mostWaiting = 16 * 1_024 * 1_024;

/**
 * Writes the lines of attempts to the database within a second, those of an account in one statement: no run waits for them. They are lost when the process
 * is killed; those that the database does not take count as left out.
 */
export class LogWriter implements LineSink, AsyncDisposable {
  readonly #db: Database;
  readonly #log: Logger;
  readonly #sample: number;
  /** Those of attempts that have told a line: one each, for as long as anybody may tell another one. */
  readonly #logs = new WeakMap<Turn, AttemptLog>();
  #waiting = new Set<AttemptLog>();
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ db, log, sample }: LogWriterOptions) {
    this.#db = db;
    this.#log = log;
    this.#sample = sample;
  }

  add(turn: Turn, line: RunLine): void {
    const log = this.#logOf(turn);
    if (log === undefined) return;
    if (this.#waitingBytes > mostWaiting) log.leaveOut(1);
    else this.#waitingBytes += log.add(line);
    this.#writeSoon(log);
  }

  leaveOut(turn: Turn, lines: number): void {
    const log = this.#logOf(turn);
    log?.leaveOut(lines);
    if (log !== undefined) this.#writeSoon(log);
  }

  /** Drops what waits of an account that is gone. */
  forget(accountId: string): void {
    for (const log of this.#waiting) if (log.accountId === accountId) this.#waiting.delete(log);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
  }

  /** Undefined when the run is not sampled. */
  #logOf(turn: Turn): AttemptLog | undefined {
    const known = this.#logs.get(turn);
    if (known !== undefined) return known;
    if (turn.session === undefined || !isSampled(turn.invocationId, this.#sample)) return undefined;
    const log = new AttemptLog(turn);
    this.#logs.set(turn, log);
    return log;
  }

  #writeSoon(log: AttemptLog): void {
    this.#waiting.add(log);
    this.#timer ??= setTimeout(() => this.#write(), pauseMs);
  }

  #write(): void {
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#writeAll());
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#waiting;
    [this.#waiting, this.#waitingBytes] = [new Set(), 0];
    for (const [accountId, logs] of Map.groupBy(waiting, (log) => log.accountId)) await this.#writeOf(accountId, logs);
  }

  async #writeOf(accountId: string, logs: readonly AttemptLog[]): Promise<void> {
    const parts: Part[] = [];
    const take = () => parts.push(...logs.flatMap((log) => log.take().map((part) => ({ log, ...part }))));
    try {
      for (const log of logs) await this.#measure(log);
      if (take() > 0) await insertRunLines(this.#db, { accountId, ...columnsOf(parts) });
    } catch (err) {
      this.#log.warn({ err, attempts: logs.length }, 'the lines of runs were not stored');
      if (parts.length === 0) take();
      for (const { log, count } of parts) log.leaveOut(count);
    }
  }

  /** A run that goes on has used a part of its bounds. */
  async #measure(log: AttemptLog): Promise<void> {
    if (log.isMeasured) return;
    const [stored] = await selectRunLinesSize(this.#db, log);
    log.measure(stored ?? { lines: 0, bytes: 0 });
  }
}

type Part = LogPart & { readonly log: AttemptLog };

function columnsOf(parts: readonly Part[]) {
  return {
    invocationIds: parts.map(({ log }) => log.invocationId),
    appNames: parts.map(({ log }) => log.appName),
    userIds: parts.map(({ log }) => log.userId),
    sessionIds: parts.map(({ log }) => log.sessionId),
    attempts: parts.map(({ log }) => log.attempt),
    places: parts.map(({ place }) => place),
    lines: parts.map(({ json }) => json),
    counts: parts.map(({ count }) => count),
    bytes: parts.map(({ bytes }) => bytes),
    leftOut: parts.map(({ leftOut }) => leftOut),
  };
}
