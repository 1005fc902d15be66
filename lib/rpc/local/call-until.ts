import type { CallOptions } from '@connectrpc/connect';
import type { Stopping } from '../../wait/index.ts';

interface Besides {
  readonly timeoutMs?: number | undefined;
  readonly headers?: Record<string, string> | undefined;
}

/** Options of a call that is canceled when `left` ends. A call makes no signal of it, but one whose caller streams to another process. */
export class CallUntil implements CallOptions {
  readonly left: Stopping;
  /** Milliseconds; 0 for no deadline. */
  readonly timeoutMs: number;
  readonly headers?: Record<string, string>;

  constructor(left: Stopping, { timeoutMs = 0, headers }: Besides = {}) {
    this.left = left;
    this.timeoutMs = timeoutMs;
    if (headers !== undefined) this.headers = headers;
  }

  get signal(): AbortSignal {
    return this.left.signal;
  }
}
