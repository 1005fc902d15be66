import type { ArrivalOrder, Link } from './arrival-order.ts';

/** A wait in a line, and then a turn. */
export interface Turn extends Disposable {
  /** Whether the turn has begun and has not ended. */
  readonly isHeld: boolean;
  /** Ends the turn, or the wait without a call. May be called more than once. */
  end(): void;
  /** From now on the turn also ends when the process has been idle for `longestIdleMs`: what is left of its work may wait for something else than this process. */
  endWhenIdle(): void;
  /** Ends the wait with an error, if it waits. */
  refuse(error: Error): void;
}

/** Told by a place. One for all places of `Turns`. */
export interface Told {
  readonly end: (place: Place) => void;
  readonly endWhenIdle: (place: Place) => void;
}

/** A class, since each run has several: no functions are made for it. */
export class Place implements Turn {
  isHeld = false;
  readonly line: Line;
  /** Beginning of its wait, or of its turn. */
  sinceMs: number;
  /** Idle time of the process before `endWhenIdle`. */
  idleBeforeMs = Infinity;
  /** Among those of its line that wait, and then among those that hold a turn. */
  link: Link<Place> | undefined;
  readonly done: (error?: Error) => void;
  readonly #turns: Told;

  constructor(line: Line, sinceMs: number, on: Pick<Place, 'done'> & { readonly turns: Told }) {
    this.line = line;
    this.sinceMs = sinceMs;
    this.done = on.done;
    this.#turns = on.turns;
  }

  end(): void {
    this.#turns.end(this);
  }

  endWhenIdle(): void {
    this.#turns.endWhenIdle(this);
  }

  refuse(error: Error): void {
    if (this.isHeld || this.link?.isIn !== true) return;
    this.end();
    this.done(error);
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

export interface Line {
  readonly name: string;
  readonly held: ArrivalOrder<Place>;
  readonly waiting: ArrivalOrder<Place>;
  /** Runs only while somebody waits: a turn that is free costs no timer. */
  timer: NodeJS.Timeout | undefined;
}
