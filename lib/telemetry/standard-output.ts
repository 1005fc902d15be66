import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

const descriptor = 1;
/** Pause in milliseconds before a reader that takes nothing is asked again. */
const retryMs = 100;
/** Lines that wait for their reader, in characters; further ones are lost. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * Lines of the log on standard output, without waiting for its reader. Lines that cannot be written, to a file on a full disk or to a terminal that is gone, are lost: pino's own
 * stream would end the process, and then try to write them for ever.
 */
class StandardOutput implements DestinationStream {
  #waiting = '';
  /** What is being written, or is tried again. */
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

  /** The process ends: what waits is written once. */
  #finish(): void {
    // What is being written at this moment arrives by itself.
    let rest = Buffer.concat([this.#isPaused ? this.#current : Buffer.alloc(0), Buffer.from(this.#waiting)]);
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    } catch {
      // Its reader is gone, or takes nothing.
    }
  }
}

let opened: StandardOutput | undefined;

/** The standard output of this process, of which there is one. */
export function standardOutput(): DestinationStream {
  opened ??= new StandardOutput();
  return opened;
}
