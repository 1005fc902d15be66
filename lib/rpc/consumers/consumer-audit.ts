import type { Logger } from '../../telemetry/index.ts';
import type { ConsumerCallsTaker } from '../call/index.ts';

/** Calls of one kind: of a consumer, of a method, for an account. */
export interface ConsumerCalls {
  readonly consumer: string;
  /** The word of the called service. */
  readonly service: string;
  /** Name of the method. */
  readonly method: string;
  /** UUID; empty for calls that named no account, that were refused, or of an account beyond the first 10,000. */
  readonly accountId: string;
  readonly isRefused: boolean;
  readonly number: number;
}

/** Stores calls of the methods of a service. They may be sent twice when an answer is lost. */
export type RecordConsumerCalls = (service: string, calls: readonly ConsumerCalls[]) => Promise<void>;

export interface ConsumerAuditOptions {
  readonly record: RecordConsumerCalls;
  readonly log: Logger;
  /** Milliseconds between two looks, from the first call of a kind to its record, and between two records of a kind. */
  readonly times?: { readonly lookMs: number; readonly betweenMs: number };
}

type Kind = Omit<ConsumerCalls, 'number'>;

interface Entry {
  readonly kind: Kind;
  /** Calls that are not recorded yet. */
  untold: number;
  dueMs: number;
}

const [hourMs, secondMs] = [3_600_000, 1_000];
/** Kinds of calls that are told apart, and kinds of one record. */
const [mostKinds, mostTogether] = [10_000, 500];
const stopMs = 2_000;

/**
 * Records calls of consumers without a record for each: the first call of a kind within a second, those that follow once an hour with their number, and the rest when the
 * process stops. Of a process that is killed the numbers of up to an hour are lost, but not that there were calls. Costs nothing before a consumer calls.
 */
export class ConsumerAudit implements ConsumerCallsTaker, AsyncDisposable {
  readonly #entries = new Map<string, Entry>();
  readonly #record: RecordConsumerCalls;
  readonly #log: Logger;
  readonly #times: { readonly lookMs: number; readonly betweenMs: number };
  #timer: NodeJS.Timeout | undefined;

  constructor({ record, log, times = { lookMs: secondMs, betweenMs: hourMs } }: ConsumerAuditOptions) {
    this.#record = record;
    this.#log = log;
    this.#times = times;
  }

  /** Counts a call for each account that it names. */
  add(call: Omit<Kind, 'accountId'>, accounts: ReadonlySet<string>): void {
    const named = call.isRefused || accounts.size === 0 ? [''] : accounts;
    for (const accountId of named) this.#count({ ...call, accountId });
    this.#lookLater();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const late = new Promise((resolve) => setTimeout(resolve, stopMs).unref());
    await Promise.race([this.#tell([...this.#entries.values()]), late]);
  }

  #count(kind: Kind): void {
    const key = keyOf(kind);
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.untold += 1;
    else if (this.#entries.size >= mostKinds && kind.accountId !== '') this.#count({ ...kind, accountId: '' });
    else this.#entries.set(key, { kind, untold: 1, dueMs: performance.now() });
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#times.lookMs).unref();
  }

  async #look(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.#entries].filter(([, { dueMs }]) => dueMs <= nowMs);
    for (const [key, { untold }] of due) if (untold === 0) this.#entries.delete(key);
    await this.#tell(due.map(([, entry]) => entry));
    this.#timer = undefined;
    if (this.#entries.size > 0) this.#lookLater();
  }

  async #tell(entries: readonly Entry[]): Promise<void> {
    const untold = entries.filter((entry) => entry.untold > 0);
    for (const [service, ofService] of Map.groupBy(untold, ({ kind }) => kind.service))
      for (let from = 0; from < ofService.length; from += mostTogether)
        await this.#tellSome(service, ofService.slice(from, from + mostTogether));
  }

  async #tellSome(service: string, entries: readonly Entry[]): Promise<void> {
    const calls = entries.map(({ kind, untold }) => ({ ...kind, number: untold }));
    try {
      await this.#record(service, calls);
    } catch (err) {
      this.#log.warn({ err, service }, 'calls of consumers could not be recorded yet');
      return;
    }
    const dueMs = performance.now() + this.#times.betweenMs;
    entries.forEach((entry, index) => {
      entry.untold -= calls[index]?.number ?? 0;
      entry.dueMs = dueMs;
    });
  }
}

function keyOf({ consumer, service, method, accountId, isRefused }: Kind): string {
  return [consumer, service, method, accountId, isRefused].join(' ');
}
