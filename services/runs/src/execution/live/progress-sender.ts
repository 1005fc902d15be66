import type { Bus } from '@agentmesh/lib/bus';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { WireEvent } from '@agentmesh/proto/event';
import { RunProgressedSchema } from '@agentmesh/proto/runs/v1/live';
import type { RunName } from '../admission/waiting-runs.ts';
import type { LiveNews } from './live-news.ts';

interface Waiting {
  readonly run: RunName;
  readonly lastSeq: number;
  firstPartial: number;
  readonly partials: WireEvent[];
  bytes: number;
}

/** Partial events that are made within this time go with one hint. */
const windowMs = 10;
/** Bytes of the partial events of a hint, unless one alone is larger. */
const mostBytesOfHint = 64 * 1024;
/** Most news that may wait; further news is left out. */
const most = { hints: 1_000, bytes: 4 * 1024 * 1024 };

/** Sends hints of the progress of runs, one after the other. A slow bus loses partial events, and slows no run. */
export class ProgressSender {
  readonly #options: { readonly owner: string; readonly bus: Pick<Bus, 'publish'>; readonly log: Logger };
  #waiting: Waiting[] = [];
  /** The newest hint of each run that waits. */
  readonly #newest = new Map<string, Waiting>();
  #bytes = 0;
  #isSending = false;

  constructor(options: { readonly owner: string; readonly bus: Pick<Bus, 'publish'>; readonly log: Logger }) {
    this.#options = options;
  }

  add({ name, run, news }: { readonly name: string; readonly run: RunName; readonly news: LiveNews }): void {
    const bytes = news.partials.reduce((sum, { json }) => sum + json.byteLength, 0);
    if (this.#waiting.length >= most.hints || this.#bytes + bytes > most.bytes) return;
    const newest = this.#newest.get(name);
    if (newest !== undefined && continues(newest, news, bytes)) {
      newest.partials.push(...news.partials);
      newest.firstPartial ||= news.firstPartial;
      newest.bytes += bytes;
    } else {
      const { lastSeq, firstPartial, partials } = news;
      const waiting = { run, lastSeq, firstPartial, partials: [...partials], bytes };
      this.#waiting.push(waiting);
      this.#newest.set(name, waiting);
    }
    this.#bytes += bytes;
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      this.#newest.clear();
      await Promise.all(waiting.map((one) => this.#publish(one)));
      await new Promise((resolve) => setTimeout(resolve, windowMs).unref());
    }
    this.#isSending = false;
  }

  async #publish({ run, lastSeq, firstPartial, partials, bytes }: Waiting): Promise<void> {
    const { owner, bus, log } = this.#options;
    try {
      await bus.publish(RunProgressedSchema, { owner, run, lastSeq, firstPartial, partials });
    } catch (err) {
      log.debug({ err }, 'the progress of a run was not sent: its viewers elsewhere wait for stored events');
    }
    this.#bytes -= bytes;
  }
}

function continues({ lastSeq, firstPartial, partials, bytes }: Waiting, news: LiveNews, more: number): boolean {
  return (
    lastSeq === news.lastSeq &&
    (partials.length === 0 ? 1 : firstPartial + partials.length) === news.firstPartial &&
    bytes + more <= mostBytesOfHint
  );
}
