import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const descriptor = 1;
/** Pause in milliseconds before a reader that takes nothing is asked again. */
const retryMs = 100;
/** Time in milliseconds for which a process that ends waits for a reader that takes nothing, and its pauses between two tries. */
const [patienceMs, pauseMs] = [3_000, 10];
/** Lines that wait for their reader, in characters; further ones are lost. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * Lines of the log on standard output, without waiting for its reader. Lines that cannot be written, to a file on a full disk or to a terminal that is gone, are lost: pino's own
 * stream would end the process, and then try to write them for ever.
 */
class StandardOutput implements DestinationStream {
  #waiting = '';
  /** The bytes that are being written, or are tried again. */
  #current = Buffer.alloc(0);
  #isBusy = false;
  #isPaused = false;

  constructor() {
    process.once('exit', () => this.#finish());
  }

  write(lines: string): void {
    if (this.#waiting.length + lines.length > mostWaiting) return;
    this.#waiting += lines;
    if (!this.#isBusy) this.#next();
  }

  #next(): void {
    if (this.#current.length === 0) {
      this.#current = Buffer.from(this.#waiting);
      this.#waiting = '';
    }
    this.#isPaused = false;
    this.#isBusy = this.#current.length > 0;
    if (this.#isBusy) write(descriptor, this.#current, (error, written) => this.#written(error, written));
  }

  #written(error: NodeJS.ErrnoException | null, written: number): void {
    this.#isPaused = error?.code === 'EAGAIN';
    if (this.#isPaused) return void setTimeout(() => this.#next(), retryMs).unref();
    this.#current = error === null ? this.#current.subarray(written) : Buffer.alloc(0);
    this.#next();
  }

  /** The process ends: what waits is written, as long as its reader takes some of it. */
  #finish(): void {
    // The bytes that are being written at this moment arrive by themselves.
    let rest = Buffer.concat([this.#isPaused ? this.#current : Buffer.alloc(0), Buffer.from(this.#waiting)]);
    for (let takenAt = performance.now(); rest.length > 0 && performance.now() - takenAt < patienceMs; ) {
      const written = writeNow(rest);
      if (written === undefined) return;
      rest = rest.subarray(written);
      if (written > 0) takenAt = performance.now();
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

/** Answers how many bytes were written: 0 when the reader takes nothing now, undefined when it is gone. */
function writeNow(bytes: Buffer): number | undefined {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : undefined;
  }
}

let opened: StandardOutput | undefined;

/** The standard output of this process, of which there is one. */
export function standardOutput(): DestinationStream {
  opened ??= new StandardOutput();
  return opened;
}
