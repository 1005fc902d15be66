import { ArrivalOrder } from './arrival-order.ts';
import { Neighbours } from './neighbours.ts';
import { type Line, Place, type Told, type Turn } from './place.ts';

/** Limits that are absent do not bind. */
export interface TurnsOptions {
  /** Most turns at a time. */
  readonly atOnce?: number;
  /** Most turns of one line at a time. */
  readonly ofLine?: number;
  /** The same while no other line holds a turn, waits or was seen in the last second; absent: `ofLine`. Less than `atOnce`, the rest is left for one that comes. */
  readonly ofLineAlone?: number;
  /** Longest time of a turn for which others of its line wait, so that nothing that was forgotten or waits for long holds them up. */
  readonly longestMs?: number;
  /** Idle time of the process, since `endWhenIdle` of a turn, after which the turn ends if others of its line wait. */
  readonly longestIdleMs?: number;
  /** Idle time of the process between turns that had waited, beside other lines, as a multiple of its busy time. It shrinks with the time of the wait. */
  readonly restFactor?: number;
}

/** Turns of one line that begin in one round of the event loop after a wait, beside other lines. */
const begunAtOnce = 2;
/** Idle time in milliseconds that counts for later rests: timers run late, and a rest of less than a millisecond takes one. */
const mostSavedMs = 2;
/** Longest rest in milliseconds: a process that is never idle goes on, too. */
const longestRestMs = 50;
/** Wait in milliseconds after which nothing rests any more: a line that needs more than the rest leaves it waits longer, but not ever longer. */
const mostPatienceMs = 10_000;

function ignore(): void {}

/**
 * Turns to do something for lines, such as accounts. A line has only so many at a time: work waits for what is under way in this process and behind it, and a thousand
 * pieces that one account sends at once would make those of another one wait for all of them. Lines that wait take turns, and each keeps its order. Few waiting turns of a
 * line begin in one round of the event loop, also when many end together because their work was stored by one commit. Where other lines were seen in the last second, the
 * next ones begin when the process has been idle for a while, so that work which finds a free turn mostly finds the process idle.
 */
export class Turns {
  readonly #options: Required<TurnsOptions>;
  /** Lines that hold turns or wait. */
  readonly #lines = new Map<string, Line>();
  /** Lines that wait, in the order of their turns. */
  readonly #queue = new Set<Line>();
  #held = 0;
  #isRoundDue = false;
  /** When turns that had waited began last. */
  #begunMs = -Infinity;
  /** Idle time that is due to others. Less than 0: idle time that was not due. */
  #owedMs = 0;
  /** Use of the event loop up to which `#owedMs` is counted. */
  #counted = performance.eventLoopUtilization();
  /** Lines that asked for a turn, which are expected to ask again. */
  readonly #neighbours = new Neighbours();

  constructor(options: TurnsOptions) {
    const { ofLine = Infinity } = options;
    const unbound = { atOnce: Infinity, ofLineAlone: ofLine, longestMs: Infinity, longestIdleMs: Infinity };
    this.#options = { ...unbound, ofLine, restFactor: 0, ...options };
  }

  /** Lines that hold turns or wait. */
  get size(): number {
    return this.#lines.size;
  }

  /** Takes a turn. If none is free, `done` is called later: when it is the turn of the line, or with the error that refuses it. */
  take(name: string, done: (error?: Error) => void): Turn {
    const nowMs = performance.now();
    this.#neighbours.see(name, nowMs);
    const line = this.#lines.get(name) ?? this.#open(name);
    const place = new Place(line, nowMs, { done, turns: this.#told });
    if (line.waiting.size === 0 && this.#hasRoom(line)) {
      this.#begin(line, place, nowMs);
    } else {
      place.link = line.waiting.add(place);
      this.#queue.add(line);
      this.#watch(line);
    }
    return place;
  }

  /** Takes a turn and waits for it. Rejects with the reason of the signal when it aborts before. A function makes a signal that is needed only for a wait. A turn that is free is answered without a promise. */
  wait(name: string, given?: AbortSignal | (() => AbortSignal | undefined)): Turn | Promise<Turn> {
    if (typeof given === 'object' && given.aborted) return Promise.reject(given.reason as Error);
    const waiting: { settle: (error?: Error) => void } = { settle: ignore };
    const turn = this.take(name, (error) => waiting.settle(error));
    return turn.isHeld ? turn : this.#untilHeld(turn, waiting, typeof given === 'function' ? given() : given);
  }

  async #untilHeld(
    turn: Turn,
    waiting: { settle: (error?: Error) => void },
    signal: AbortSignal | undefined,
  ): Promise<Turn> {
    const begun = Promise.withResolvers<void>();
    waiting.settle = (error) => (error === undefined ? begun.resolve() : begun.reject(error));
    const leave = (): void => turn.refuse(signal?.reason as Error);
    if (signal?.aborted === true) leave();
    signal?.addEventListener('abort', leave);
    try {
      await begun.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
    return turn;
  }

  #hasRoom(line: Line): boolean {
    const { atOnce, ofLine, ofLineAlone } = this.#options;
    return this.#held < atOnce && line.held.size < (this.#isBesideOthers(line) ? ofLine : ofLineAlone);
  }

  /** True when another line holds a turn, waits, or asked for one in the last second. */
  #isBesideOthers({ name }: Line): boolean {
    return this.#lines.size > 1 || this.#neighbours.hasOther(name, performance.now());
  }

  #open(name: string): Line {
    const line: Line = { name, held: new ArrivalOrder(), waiting: new ArrivalOrder(), timer: undefined };
    this.#lines.set(name, line);
    return line;
  }

  readonly #told: Told = {
    end: (place) => this.#end(place),
    endWhenIdle: (place) => this.#endWhenIdle(place),
  };

  #begin(line: Line, place: Place, nowMs: number): void {
    this.#held += 1;
    place.link = line.held.add(place);
    place.isHeld = true;
    place.sinceMs = nowMs;
    this.#watch(line);
  }

  #endWhenIdle(place: Place): void {
    const { line } = place;
    if (this.#options.longestIdleMs === Infinity) return;
    place.idleBeforeMs = performance.nodeTiming.idleTime;
    clearTimeout(line.timer);
    line.timer = undefined;
    this.#watch(line);
  }

  #end(place: Place): void {
    const { line, link, isHeld } = place;
    if (link?.isIn !== true) return;
    (isHeld ? line.held : line.waiting).remove(link);
    if (isHeld) this.#held -= 1;
    place.isHeld = false;
    if (line.waiting.size === 0) this.#leave(line);
    if (this.#queue.size > 0) this.#dueRound();
  }

  #leave(line: Line): void {
    this.#queue.delete(line);
    if (line.held.size > 0) return;
    clearTimeout(line.timer);
    this.#lines.delete(line.name);
  }

  #dueRound(): void {
    if (this.#isRoundDue) return;
    this.#isRoundDue = true;
    const restMs = this.#restMs();
    if (restMs > 0) setTimeout(this.#round, Math.ceil(restMs));
    else setImmediate(this.#round);
  }

  /** Milliseconds of idleness that are due to others. */
  #restMs(): number {
    const nowMs = performance.now();
    const factor = this.#factor(nowMs);
    const used = performance.eventLoopUtilization();
    const { active, idle } = performance.eventLoopUtilization(used, this.#counted);
    this.#counted = used;
    // A line that was alone owes nothing for that time.
    this.#owedMs = factor > 0 ? Math.max(this.#owedMs + factor * active - idle, -mostSavedMs) : 0;
    return Math.min(this.#owedMs, this.#begunMs + longestRestMs - nowMs);
  }

  /** Idle time that is due for a millisecond of work. */
  #factor(nowMs: number): number {
    const [line] = this.#queue;
    const first = line?.waiting.oldest;
    if (line === undefined || first === undefined || !this.#isBesideOthers(line)) return 0;
    return this.#options.restFactor * (1 - (nowMs - first.sinceMs) / mostPatienceMs);
  }

  readonly #round = (): void => {
    this.#isRoundDue = false;
    if (this.#restMs() > 0) return this.#dueRound();
    const [line] = this.#queue;
    const passes = line === undefined || this.#isBesideOthers(line) ? begunAtOnce : Infinity;
    let pass = 0;
    while (pass < passes && this.#beginOneOfEach()) pass += 1;
    if (pass === 0) return;
    this.#begunMs = performance.now();
    this.#owedMs = Math.min(this.#owedMs, 0);
    if (this.#queue.size > 0) this.#dueRound();
  };

  #beginOneOfEach(): boolean {
    const lines = [...this.#queue];
    let hasBegun = false;
    for (const line of lines) hasBegun = this.#beginNext(line) || hasBegun;
    return hasBegun;
  }

  /** Lets the first one of a line begin, if there is room. The line then waits behind the others. */
  #beginNext(line: Line): boolean {
    const next = line.waiting.oldest;
    if (next?.link === undefined || !this.#hasRoom(line)) return false;
    line.waiting.remove(next.link);
    this.#queue.delete(line);
    if (line.waiting.size > 0) this.#queue.add(line);
    this.#begin(line, next, performance.now());
    next.done();
    return true;
  }

  /** Ends turns that are over, as many as wait. */
  #watch(line: Line): void {
    if (line.timer !== undefined || line.waiting.size === 0) return;
    const leftMs = Math.min(...this.#timesLeft(line).map(([, ms]) => ms));
    if (leftMs === Infinity) return;
    line.timer = setTimeout(() => {
      line.timer = undefined;
      const over = this.#timesLeft(line).filter(([, ms]) => ms <= 0);
      for (const [place] of over.slice(0, line.waiting.size)) place.end();
      this.#watch(line);
    }, Math.ceil(leftMs));
  }

  /** The turns of a line, the oldest first, with the least time in milliseconds after which each is over. */
  #timesLeft({ held }: Line): [Place, number][] {
    const { longestMs, longestIdleMs } = this.#options;
    const [nowMs, idle] = [performance.now(), performance.nodeTiming.idleTime];
    return Array.from(held, (place) => [
      place,
      Math.min(place.sinceMs + longestMs - nowMs, place.idleBeforeMs + longestIdleMs - idle),
    ]);
  }
}
