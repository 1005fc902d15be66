import type { WireEvent } from '@agentmesh/proto/event';
import type { RunName } from '../admission/waiting-runs.ts';
import type { LiveNews, NewsHandler } from './live-news.ts';
import { beginOf } from './partial-numbers.ts';

/** Most partial events that are kept for viewers who come later. */
const mostKept = 500;
/** How long later partial events are left out while missing ones are asked for. */
const replayMs = 500;

/** Tells the viewers in this process the news of one run: each once, in order, and without holes as far as that is possible. */
export class RunFeed {
  readonly run: RunName;
  readonly #askAgain: () => void;
  readonly #handlers = new Set<NewsHandler>();
  #lastSeq = -1;
  /** Number of the next partial event. */
  #next = 1;
  /** The partial events from the first one of the attempt on. */
  #kept: WireEvent[] = [];
  #askedAt = performance.now();

  /** `askAgain` makes the executor send the partial events since the newest stored event once more. */
  constructor(run: RunName, askAgain: () => void) {
    this.run = run;
    this.#askAgain = askAgain;
  }

  get isWatched(): boolean {
    return this.#handlers.size > 0;
  }

  /** Adds a viewer, tells it what is known, and returns a function that removes it. */
  watch(onNews: NewsHandler): () => void {
    const handler: NewsHandler = (news) => onNews(news);
    const firstPartial = this.#kept.length && beginOf(this.#next) + 1;
    if (this.#lastSeq >= 0) handler({ lastSeq: this.#lastSeq, firstPartial, partials: [...this.#kept] });
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  add({ lastSeq, firstPartial, partials }: LiveNews): void {
    if (lastSeq < this.#lastSeq) return;
    const isLater = lastSeq > this.#lastSeq;
    const begin = beginOf(firstPartial);
    if (isLater || begin > beginOf(this.#next)) [this.#lastSeq, this.#next, this.#kept] = [lastSeq, begin + 1, []];
    const known = this.#next - firstPartial;
    const isLeftOut = partials.length <= known || (known < 0 && this.#awaitsMissing());
    if (!isLeftOut) this.#tell(Math.max(firstPartial, this.#next), known > 0 ? partials.slice(known) : partials);
    else if (isLater) this.#tellAll({ lastSeq, firstPartial: 0, partials: [] });
  }

  #tell(firstPartial: number, partials: readonly WireEvent[]): void {
    if (this.#kept.length === firstPartial - 1 - beginOf(firstPartial))
      this.#kept.push(...partials.slice(0, mostKept - this.#kept.length));
    this.#next = firstPartial + partials.length;
    this.#tellAll({ lastSeq: this.#lastSeq, firstPartial, partials });
  }

  #tellAll(news: LiveNews): void {
    for (const handler of this.#handlers) handler(news);
  }

  /** Asks for what is missing, once in a while. False when it did not come: then it is gone. */
  #awaitsMissing(): boolean {
    const sinceMs = performance.now() - this.#askedAt;
    if (sinceMs < replayMs) return true;
    if (sinceMs < 2 * replayMs) return false;
    this.#askedAt = performance.now();
    this.#askAgain();
    return true;
  }
}
