import type { Partials } from './run-place.ts';

/** Most bytes that wait for a viewer. */
const mostBytes = 1024 * 1024;

/** Partial events that a viewer has not taken yet. When there are too many, the oldest are dropped. */
export class PartialInbox {
  #news: Partials[] = [];
  #bytes = 0;

  add(news: Partials): void {
    this.#news.push(news);
    this.#bytes += bytesOf(news);
    while (this.#bytes > mostBytes && this.#news.length > 1) this.#drop();
  }

  /** Removes and returns the news about partial events that were made before an event behind `seq` was stored. */
  takeUpTo(seq: number): Partials[] {
    const end = this.#news.findIndex(({ lastSeq }) => lastSeq > seq);
    const taken = this.#news.splice(0, end === -1 ? this.#news.length : end);
    this.#bytes = this.#news.reduce((sum, news) => sum + bytesOf(news), 0);
    return taken;
  }

  get isEmpty(): boolean {
    return this.#news.length === 0;
  }

  #drop(): void {
    const dropped = this.#news.shift();
    if (dropped !== undefined) this.#bytes -= bytesOf(dropped);
  }
}

function bytesOf({ partials }: Partials): number {
  return partials.reduce((sum, { json }) => sum + json.length, 0);
}
