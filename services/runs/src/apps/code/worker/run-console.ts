import { format } from 'node:util';
import { longestPrint, type WorkerMessage } from '../protocol.ts';
import type { Channel } from './channel.ts';
import { currentRun } from './current-run.ts';

const levels = { log: 'info', info: 'info', warn: 'warn', error: 'error', debug: 'debug' } as const;
/** Most lines of a run that the host is told, and most characters of all. It keeps about as many. */
const [mostLines, mostCharacters] = [1_000, 300_000];

interface Printed {
  lines: number;
  characters: number;
  /** Beyond the bounds. */
  more: number;
  told: number;
}

/** Tells the host what code of runs prints with `console`, with its run. Other output, and that of a run beyond its bounds, goes to stdout and stderr as ever. */
export class RunConsole {
  readonly #channel: Pick<Channel, 'tell'>;
  readonly #isAtWork: (run: number) => boolean;
  readonly #runs = new Map<number, Printed>();

  constructor(channel: Pick<Channel, 'tell'>, isAtWork: (run: number) => boolean) {
    this.#channel = channel;
    this.#isAtWork = isAtWork;
  }

  /** Takes the place of the methods of a console. */
  hook(target: Console): void {
    for (const [method, level] of Object.entries(levels) as [keyof typeof levels, (typeof levels)['log']][]) {
      const print = target[method].bind(target);
      target[method] = (...words: unknown[]) => {
        const run = currentRun();
        if (run === undefined || !this.#isAtWork(run) || !this.#tell(run, level, words)) print(...words);
      };
    }
  }

  /** A run is over: tells how much it has printed beyond the bounds. */
  end(run: number): void {
    const printed = this.#runs.get(run);
    this.#runs.delete(run);
    if (printed !== undefined) this.#tellMore(run, printed);
  }

  /** Whether the line was within the bounds of its run. */
  #tell(run: number, level: Extract<WorkerMessage, { kind: 'print' }>['level'], words: readonly unknown[]): boolean {
    const printed = this.#runs.get(run) ?? { lines: 0, characters: 0, more: 0, told: 0 };
    this.#runs.set(run, printed);
    if (printed.lines < mostLines && printed.characters < mostCharacters) {
      const text = format(...words).slice(0, longestPrint);
      printed.lines += 1;
      printed.characters += text.length;
      this.#channel.tell({ kind: 'print', run, level, text });
      return true;
    }
    printed.more += 1;
    // A loop that prints for ever would fill the line to the host.
    if (Number.isInteger(Math.log2(printed.more))) this.#tellMore(run, printed);
    return false;
  }

  #tellMore(run: number, printed: Printed): void {
    const lines = printed.more - printed.told;
    printed.told = printed.more;
    if (lines > 0) this.#channel.tell({ kind: 'unprinted', run, lines });
  }
}
