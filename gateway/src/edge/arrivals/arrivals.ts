import { MeshError } from '@agentmesh/lib/rpc';
import { ArrivalOrder, type Link, type Turn, type Turns } from '@agentmesh/lib/wait';

/** A request, or a message of a live connection. */
export interface Arrival {
  /** Text of the credentials, which may not be checked yet. One account may have several. */
  readonly caller: string;
  /** Whether it has arrived completely. Replaced when it leaves: V8 may keep an arrival that has left a set for long, but not its request. */
  isWhole: () => boolean;
  /** Its wait and then its turn, from `takeTurn` on. */
  turn?: Turn;
  /** Those of its caller. Looking them up by a long text costs more than the rest. */
  own?: ArrivalOrder<Arrival>;
  /** Its place among those of its caller. */
  ofCaller?: Link<Arrival>;
  /** Its place among those that arrive. */
  link?: Link<Arrival>;
}

/** Requests and messages that have arrived: at most `most`, of which some have a turn. */
export interface Arrivals {
  /** Adds an arrival. Where there are too many, it takes the place of another one: see `ArrivingRuns.enter`. Throws `arriving_runs` if there is none to give up. */
  add(arrival: Arrival): void;
  /** Calls `done` when it is the turn of the arrival, or with the error for which it is given up. Lines take turns. */
  takeTurn(arrival: Arrival, waiting: Waiting): void;
  /** Ends the wait of an arrival with an error, if it waits. */
  giveUp(arrival: Arrival, error: Error): void;
  /** Gives the place and the turn back. May be called more than once. */
  leave(arrival: Arrival): void;
}

interface Waiting {
  /** Account, whose arrivals wait in one line. */
  readonly line: string;
  readonly done: (error?: Error) => void;
}

export function createArrivals(most: number, turns: Turns): Arrivals {
  const callers = new Map<string, ArrivalOrder<Arrival>>();
  /** Arrivals for which `takeTurn` was not called yet, the oldest first. Their bodies may still arrive. */
  const arriving = new ArrivalOrder<Arrival>();
  let size = 0;

  function leave(arrival: Arrival): void {
    const { own } = arrival;
    if (own === undefined || arrival.ofCaller?.isIn !== true) return;
    own.remove(arrival.ofCaller);
    if (arrival.link !== undefined) arriving.remove(arrival.link);
    size -= 1;
    if (own.size === 0) callers.delete(arrival.caller);
    arrival.turn?.end();
    arrival.isWhole = isGone;
  }

  function makeRoom(caller: string): void {
    let largest = new ArrivalOrder<Arrival>();
    for (const own of callers.values()) if (own.size > largest.size) largest = own;
    const isSmaller = (callers.get(caller)?.size ?? 0) + 1 < largest.size;
    const given = isSmaller ? newestWaiting(largest) : oldestIncomplete(arriving);
    if (given === undefined) throw tooManyArriving;
    given.turn?.refuse(tooManyArriving);
    leave(given);
  }

  return {
    add(arrival) {
      const { caller } = arrival;
      if (size >= most) makeRoom(caller);
      const own = callers.get(caller) ?? new ArrivalOrder<Arrival>();
      if (own.size === 0) callers.set(caller, own);
      arrival.own = own;
      arrival.ofCaller = own.add(arrival);
      arrival.link = arriving.add(arrival);
      size += 1;
    },
    takeTurn(arrival, waiting) {
      if (arrival.link !== undefined) arriving.remove(arrival.link);
      if (arrival.ofCaller?.isIn !== true) return waiting.done(tooManyArriving);
      arrival.turn = turns.take(waiting.line, waiting.done);
      if (arrival.turn.isHeld) waiting.done();
    },
    giveUp: (arrival, error) => arrival.turn?.refuse(error),
    leave,
  };
}

function isGone(): boolean {
  return true;
}

function newestWaiting(own: ArrivalOrder<Arrival>): Arrival | undefined {
  return [...own].findLast(({ turn }) => turn?.isHeld !== true);
}

/** The oldest arrival whose body is incomplete, so that stalled bodies keep nobody out. Removes complete ones on the way, so that each is looked at once. */
function oldestIncomplete(arriving: ArrivalOrder<Arrival>): Arrival | undefined {
  let oldest = arriving.oldest;
  while (oldest?.link !== undefined && oldest.isWhole()) {
    arriving.remove(oldest.link);
    oldest = arriving.oldest;
  }
  return oldest;
}

/** One object for all refusals: a new error would record a stack trace for each request of a crowd. */
const tooManyArriving = new MeshError(
  'resource_exhausted',
  'arriving_runs',
  'Too many runs have arrived at once (GATEWAY_MAX_ARRIVING_RUNS). Try again later.',
);
