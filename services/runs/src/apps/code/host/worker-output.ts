import type { Readable } from 'node:stream';
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

  /** Reads a stream to its end. The rest of a line that is too long is left out. */
  read(stream: Readable | null): void {
    let line = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const [first = '', ...others] = text.split('\n');
      line = (line + first.slice(0, longestLine)).slice(0, longestLine);
      for (const next of others) {
        this.#take(line);
        line = next.slice(0, longestLine);
      }
    });
    stream?.once('end', () => line !== '' && this.#take(line));
  }

  #take(line: string): void {
    this.last.push(line);
    if (this.last.length > keptLines) this.last.shift();
    if (this.#hasRoom()) this.#log.info({ line }, 'an app printed');
  }

  /** Logs what code of a run has printed. */
  print(text: string, facts: object | undefined): void {
    if (this.#hasRoom()) this.#log.info({ line: text.slice(0, longestLine), ...facts }, 'an app printed');
  }

  /** Logs what a tool of the app has thrown. */
  fault(facts: object): void {
    if (this.#hasRoom()) this.#log.warn(facts, 'a tool has failed');
  }

  #hasRoom(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) [this.#second, this.#lines] = [second, 0];
    this.#lines += 1;
    if (this.#lines === linesPerSecond) this.#log.warn('an app prints too much: lines are left out');
    return this.#lines <= linesPerSecond;
  }
}
