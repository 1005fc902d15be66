import type { Logger } from '@agentmesh/lib/telemetry';
import { MeshError } from '@agentmesh/lib/rpc';
import { Wake, withinDeadline } from '@agentmesh/lib/wait';
import type { EndedCallSchema, ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';

export type EndedCall = MessageInitShape<typeof EndedCallSchema>;

const batch = 500;
/** About a minute of a busy process. Older reports are dropped while the keys service is away. */
const longestQueue = 20_000;
const retryMs = 1_000;
const timeoutMs = 10_000;
/** Tries of one report that fail without being refused, e.g. while the disk of the database is full. Then it is dropped. */
const mostFaults = 8;

/** Reports how calls of models ended, without keeping runs waiting. Reports that come while one is sent are sent together. */
export class UseReports {
  readonly #client: Pick<Client<typeof ModelUseService>, 'endCalls'>;
  readonly #log: Logger;
  readonly #queue: EndedCall[] = [];
  readonly #retry = new Wake();
  #sending: Promise<void> | undefined;
  #failing = false;
  /** Most reports that are sent together: fewer after reports that the service could not take, so that the one among them is found. */
  #atOnce = batch;
  /** Such tries of the report that is sent alone. */
  #faults = 0;

  constructor(client: Pick<Client<typeof ModelUseService>, 'endCalls'>, log: Logger) {
    this.#client = client;
    this.#log = log;
  }

  add(call: EndedCall): void {
    if (this.#queue.length >= longestQueue) {
      this.#queue.shift();
      this.#log.error({ most: longestQueue }, 'the oldest report of the use of a model was dropped');
    }
    this.#queue.push(call);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when all reports are sent. */
  async settle(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  /** Sends what is left, for at most `deadlineMs`. */
  async flush(deadlineMs: number): Promise<void> {
    this.#retry.wake();
    await withinDeadline(this.settle(), deadlineMs, () => {
      this.#log.error({ reports: this.#queue.length }, 'reports of the use of models were not sent');
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const calls = this.#queue.splice(0, this.#atOnce);
      try {
        await this.#client.endCalls({ calls }, { timeoutMs });
        this.#failing = false;
        this.#faults = 0;
        this.#atOnce = Math.min(this.#atOnce * 2, batch);
      } catch (err) {
        await this.#postpone(calls, err);
      }
    }
    // In the same step as the look at the queue: a report that came between the two would start nothing.
    this.#sending = undefined;
  }

  /** A report may be repeated: each call counts once. One that the service cannot take is dropped, so that it does not hold up the others for ever. */
  async #postpone(calls: EndedCall[], err: unknown): Promise<void> {
    const isFault = !mayPass(err);
    if (isFault && calls.length === 1 && this.#isHopeless(err)) {
      this.#log.error({ err }, 'the report of the use of a model was refused');
      return;
    }
    if (isFault) this.#atOnce = Math.ceil(calls.length / 2);
    if (!this.#failing) this.#log.warn({ err }, 'the use of models cannot be reported: it is tried again');
    this.#failing = true;
    this.#queue.unshift(...calls);
    await this.#retry.wait({ timeoutMs: retryMs });
  }

  /** Whether a report that is sent alone is given up. */
  #isHopeless(err: unknown): boolean {
    this.#faults += 1;
    const isRefused = err instanceof MeshError && err.code === 'invalid_argument';
    if (!isRefused && this.#faults < mostFaults) return false;
    this.#faults = 0;
    return true;
  }
}

function mayPass(error: unknown): boolean {
  return error instanceof MeshError && ['unavailable', 'deadline_exceeded'].includes(error.code);
}
