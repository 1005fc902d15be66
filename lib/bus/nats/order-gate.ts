import type { Delivery } from '../driver/index.ts';

const LOOK_MS = 200;

export interface Place {
  /** Number of the delivery among all of the consumer. */
  readonly consumerSequence: number;
  readonly streamSequence: number;
}

export interface OrderGateOptions {
  /** Number of messages that are delivered and not acknowledged, and that this process does not have in hand. */
  readonly countElsewhere: () => Promise<number>;
  readonly release: (delivery: Delivery) => void;
  /** Messages are not kept longer than this. */
  readonly longestMs: number;
}

/**
 * Keeps the order of a consumer when deliveries were lost, with a connection or with the process that had them before. A gap in the numbers of deliveries shows it. Then
 * messages are kept until the lost ones were delivered again, which the server does after a while, and are released in the order of the stream.
 */
export class OrderGate {
  readonly #options: OrderGateOptions;
  readonly #kept = new Map<number, Delivery>();
  #next: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closesAt = 0;

  constructor(options: OrderGateOptions) {
    this.#options = options;
  }

  pass(delivery: Delivery, { consumerSequence, streamSequence }: Place): void {
    const isExpected = consumerSequence === this.#next || (this.#next === undefined && consumerSequence === 1);
    this.#next = consumerSequence + 1;
    if (this.#timer === undefined && isExpected) {
      this.#options.release(delivery);
      return;
    }
    this.#kept.set(streamSequence, delivery);
    if (isExpected && this.#timer !== undefined) return;
    this.#closesAt = performance.now() + this.#options.longestMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), 0);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#kept.clear();
  }

  async #look(): Promise<void> {
    const timer = this.#timer;
    const elsewhere = await this.#options.countElsewhere().catch(() => 1);
    if (this.#timer !== timer) return;
    if (elsewhere > 0 && performance.now() < this.#closesAt) {
      this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
      return;
    }
    this.#timer = undefined;
    const inOrder = [...this.#kept].toSorted(([a], [b]) => a - b);
    this.#kept.clear();
    for (const [, delivery] of inOrder) this.#options.release(delivery);
  }
}
