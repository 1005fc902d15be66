import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import type { Logger } from '@agentmesh/lib/telemetry';

const longestLine = 2_000;
const linesPerSecond = 50;
const keptLines = 20;

/** Passes what a worker prints on to the log, bounded, and keeps its last lines. */
export class WorkerOutput {
  readonly last: string[] = [];
  readonly #log: Logger;
  #second = 0;
  #lines = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  read(stream: Readable | null): void {
    if (stream === null) return;
    createInterface({ input: stream }).on('line', (line) => this.#take(line.slice(0, longestLine)));
  }

  #take(line: string): void {
    this.last.push(line);
    if (this.last.length > keptLines) this.last.shift();
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) [this.#second, this.#lines] = [second, 0];
    this.#lines += 1;
    if (this.#lines <= linesPerSecond) this.#log.info({ line }, 'an app printed');
    if (this.#lines === linesPerSecond) this.#log.warn('an app prints too much: lines are left out');
  }
}
