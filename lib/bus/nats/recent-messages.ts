import type { StreamMessage } from '../driver/index.ts';

const KEPT_MS = 2 * 60_000;
const MOST = 5_000;
const MOST_BYTES = 8 * 1024 * 1024;

/** The messages that were appended in the last two minutes, the newest 5,000 and 8 MiB of them. */
export class RecentMessages {
  #kept: { readonly message: StreamMessage; readonly at: number }[] = [];
  #bytes = 0;

  add(messages: readonly StreamMessage[]): void {
    const at = performance.now();
    for (const message of messages) {
      this.#kept.push({ message, at });
      this.#bytes += message.payload.byteLength;
    }
    this.#forget(at - KEPT_MS);
  }

  /** In the order in which they were appended. */
  all(): StreamMessage[] {
    return this.#kept.map(({ message }) => message);
  }

  #forget(before: number): void {
    let count = 0;
    for (const { message, at } of this.#kept) {
      if (at >= before && this.#kept.length - count <= MOST && this.#bytes <= MOST_BYTES) break;
      this.#bytes -= message.payload.byteLength;
      count += 1;
    }
    if (count > 0) this.#kept = this.#kept.slice(count);
  }
}
