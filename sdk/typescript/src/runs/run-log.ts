import { follow } from '../streams/follow.ts';
import type { Frame } from '../streams/sse-parser.ts';
import { route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';
import type { Event, Run } from '../records.ts';
import { idOf, type NamedRun, placeOf } from './named-run.ts';
import { isNoNewer } from './place.ts';

/** Stands for partial events that cannot be had any more. The next whole event has their content. */
export interface Gap {
  /** Id of the last frame that is missing. */
  readonly upTo: string;
}

/** Item of a stream of a run: an event of ADK, or the note that partial events are missing. */
export type RunEvent = (Event & { readonly gap?: undefined }) | { readonly gap: Gap };

export interface RunLogOptions {
  readonly transport: Transport;
  readonly run: Promise<NamedRun>;
  /** Id of the frame behind which the log begins; absent: the beginning of the run. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called while the run waits for its turn, with its place in the queue, from 1. */
  readonly onQueued?: ((position: number) => void) | undefined;
}

/** Events of a run as they have come so far. It reads on when somebody asks for more, once for all who ask. */
export class RunLog {
  readonly events: RunEvent[] = [];
  /** Record of the run as it ended or began to wait. */
  record: Run | undefined;
  /** Id of the last frame. */
  lastId: string | undefined;
  readonly #options: RunLogOptions;
  #frames: AsyncGenerator<Frame> | undefined;
  #reading: Promise<void> | undefined;
  #readers = 0;

  constructor(options: RunLogOptions) {
    this.#options = options;
    this.lastId = options.after;
  }

  /** Waits until there is an event with this index. False when the log has ended before. */
  async has(index: number): Promise<boolean> {
    while (index >= this.events.length && this.record === undefined) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return index < this.events.length;
  }

  /** To be called when the run goes on after its end was read, as it does after an answer. */
  goOn(): void {
    this.record = undefined;
  }

  /** To be called by each reader before it begins. */
  enter(): void {
    this.#readers += 1;
  }

  /** To be called by each reader when it stops. The last one closes the connection; the next question opens another one. */
  async leave(): Promise<void> {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    const frames = this.#frames;
    this.#frames = undefined;
    await frames?.return(undefined);
  }

  async #read(): Promise<void> {
    const { transport, signal } = this.#options;
    const run = await this.#options.run;
    const frames = (this.#frames ??= this.#open(run));
    const next = await frames.next().catch((error: unknown) => {
      this.#frames = undefined;
      throw error;
    });
    if (next.done !== true) return this.#keep(next.value);
    this.#frames = undefined;
    // The server says that this client has read the end before.
    this.record = await transport.json<Run>({ path: route`/runs/${idOf(run)}`, query: placeOf(run), signal });
  }

  #open(run: NamedRun): AsyncGenerator<Frame> {
    const { transport, signal, onQueued } = this.#options;
    return follow(transport, {
      path: route`/runs/${idOf(run)}/events`,
      query: placeOf(run),
      signal,
      lastId: this.lastId,
      isLast: ({ event }) => event === 'end',
      onComment: (text) => {
        const position = /^queued (\d+)/.exec(text)?.[1];
        if (position !== undefined) onQueued?.(Number(position));
      },
    });
  }

  #keep({ event, id, data }: Frame): void {
    if (event !== 'end' && id !== undefined && isNoNewer(id, this.lastId)) return;
    this.lastId = id ?? this.lastId;
    if (event === 'message') this.events.push(JSON.parse(data) as Event);
    if (event === 'gap') this.events.push({ gap: { upTo: id ?? '' } });
    if (event === 'end') {
      this.record = JSON.parse(data) as Run;
      this.#frames = undefined;
    }
  }
}
