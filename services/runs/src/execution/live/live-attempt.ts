import type { WireEvent } from '@agentmesh/proto/event';
import type { LiveNews } from './live-news.ts';
import { beginOf } from './partial-numbers.ts';

/** Partial events that are kept for viewers who come later: so many, and bytes of their JSON. */
const most = { partials: 500, bytes: 256 * 1024 };

function ignore(): void {}

interface Listeners {
  readonly tell: (makeNews: () => LiveNews) => void;
  readonly end: () => void;
}

/** An attempt of this process, as its viewers see it. It makes partial events only when somebody watches the run. */
export class LiveAttempt {
  #tell: (makeNews: () => LiveNews) => void;
  #end: () => void;
  #lastSeq: number;
  /** The latest partial events since the newest stored event. */
  #kept: (() => WireEvent)[] = [];
  /** Number of the latest partial event. */
  #partials: number;

  /** `begin` is the number before the first partial event. */
  constructor({ lastSeq, begin }: { readonly lastSeq: number; readonly begin: number }, on: Listeners) {
    this.#lastSeq = lastSeq;
    this.#partials = begin;
    this.#tell = on.tell;
    this.#end = on.end;
  }

  /** Tells of a partial event. `make` returns the same event each time. */
  partial(make: () => WireEvent): void {
    this.#partials += 1;
    const number = this.#partials;
    if (this.#kept.length < most.partials) this.#kept.push(make);
    this.#tell(() => ({ lastSeq: this.#lastSeq, firstPartial: number, partials: [make()] }));
  }

  /** Tells of stored events; `lastSeq` is the sequence of the session's newest one. */
  stored(lastSeq: number): void {
    this.#lastSeq = lastSeq;
    this.#partials = 0;
    this.#kept = [];
    this.#tell(() => ({ lastSeq, firstPartial: 0, partials: [] }));
  }

  /** The partial events since the newest stored event; the last ones are missing when there are too many. */
  soFar(): LiveNews {
    const partials: WireEvent[] = [];
    let bytes = 0;
    for (const make of this.#kept) {
      const event = make();
      bytes += event.json.byteLength;
      if (bytes > most.bytes) break;
      partials.push(event);
    }
    const firstPartial = partials.length === 0 ? 0 : beginOf(this.#partials) + 1;
    return { lastSeq: this.#lastSeq, firstPartial, partials };
  }

  /** To be called when the attempt is over. It lets go of the run: V8 may keep an attempt that has left a map for long. */
  end(): void {
    this.#end();
    this.#tell = ignore;
    this.#end = ignore;
    this.#kept = [];
  }
}
