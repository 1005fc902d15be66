import { Wake } from '@agentmesh/lib/wait';
import type { HostCall, HostMessage, Outcome, WorkerMessage } from '../protocol.ts';

type Reply = Extract<HostMessage, { kind: 'reply' | 'chunk' }>;

interface Asked {
  readonly settle: (outcome: Outcome) => void;
  readonly onChunk?: (piece: object) => void;
}

export interface AskOptions {
  /** The run that asks. */
  readonly run: number;
  readonly signal?: AbortSignal | undefined;
  /** Is given each piece of the answer. */
  readonly onChunk?: (piece: object) => void;
}

/** The worker's end of the line to its host. */
export class Channel {
  readonly #asked = new Map<number, Asked>();
  readonly #send = process.send?.bind(process);
  #calls = 0;

  /** Throws when the message holds something that is not data, e.g. a function. */
  tell(message: WorkerMessage): void {
    if (process.connected) this.#send?.(message);
  }

  /** Asks the host for something. Rejects with the host's error, and with the reason of `signal`. Throws like `tell`. */
  ask(request: HostCall, { run, signal, onChunk }: AskOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const call = ++this.#calls;
    // First: a call that cannot be told has nothing that an abort could reject.
    this.tell({ kind: 'call', run, call, request });
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onAbort = (): void => {
      this.tell({ kind: 'drop', call });
      reject(signal?.reason);
    };
    const settle = (outcome: Outcome): void => {
      if ('value' in outcome) resolve(outcome.value);
      else reject(Object.assign(new Error(outcome.error.message), { name: outcome.error.name }));
    };
    this.#asked.set(call, { settle, ...(onChunk && { onChunk }) });
    signal?.addEventListener('abort', onAbort, { once: true });
    return promise.finally(() => {
      this.#asked.delete(call);
      signal?.removeEventListener('abort', onAbort);
    });
  }

  /** Asks the host for something that comes in pieces. Leaving the loop drops the call. */
  async *stream(request: HostCall, { run, signal }: Omit<AskOptions, 'onChunk'>): AsyncGenerator<object, void> {
    const pieces: object[] = [];
    const wake = new Wake();
    const leaving = new AbortController();
    const either = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
    const onChunk = (piece: object): void => {
      pieces.push(piece);
      wake.wake();
    };
    let isOver = false;
    const asked = this.ask(request, { run, signal: either, onChunk }).finally(() => {
      isOver = true;
      wake.wake();
    });
    // Awaited below; it must not count as unhandled before.
    asked.catch(() => undefined);
    try {
      for (;;) {
        for (const piece of pieces.splice(0)) yield piece;
        if (isOver && pieces.length === 0) break;
        await wake.wait();
      }
      await asked;
    } finally {
      leaving.abort();
    }
  }

  /** Passes an answer of the host on. */
  take(message: Reply): void {
    const asked = this.#asked.get(message.call);
    if (message.kind === 'chunk') asked?.onChunk?.(message.piece);
    else asked?.settle(message.outcome);
  }
}
