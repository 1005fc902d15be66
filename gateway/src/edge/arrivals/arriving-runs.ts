import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { createTurns, type Turns } from './turns.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Requests to run an agent that have arrived and whose runs are not accepted yet. */
export interface ArrivingRuns {
  /**
   * First hook of such a route. Where too many have arrived, it refuses with `arriving_runs`, before the body is read, or takes the place of another one: the
   * newest of the caller who has the most, if that is more than this one would have; else the oldest whose body has not arrived.
   */
  readonly enter: Hook;
  /** Last hook of such a route. Waits where many runs are being accepted; accounts take turns. */
  readonly takeTurn: Hook;
  /** To be called when the run of a request was accepted. A request that ends before counts no more, either. */
  leave(request: FastifyRequest): void;
}

/** Runs that are being accepted at the same time. Enough to share commits; a run that comes waits for so many at most. */
const acceptedAtOnce = 128;

/** Bounds what a crowd may take from those that came first, and what one caller may take from others. */
export function createArrivingRuns(most: number, atOnce = acceptedAtOnce): ArrivingRuns {
  const callers = new Map<string, Set<FastifyRequest>>();
  let size = 0;
  const turns = createTurns(atOnce);

  function forget(request: FastifyRequest): void {
    const caller = callerOf(request);
    const own = callers.get(caller);
    if (own?.delete(request) !== true) return;
    size -= 1;
    if (own.size === 0) callers.delete(caller);
    turns.leave(request);
  }

  function makeRoom(caller: string): boolean {
    let largest = new Set<FastifyRequest>();
    for (const own of callers.values()) if (own.size > largest.size) largest = own;
    const isSmaller = (callers.get(caller)?.size ?? 0) + 1 < largest.size;
    const given = isSmaller ? newestWaiting(largest, turns) : oldestIncomplete(callers);
    if (given === undefined) return false;
    turns.refuse(given, tooManyArriving());
    forget(given);
    return true;
  }

  return {
    enter(request, reply, done) {
      const caller = callerOf(request);
      if (size >= most && !makeRoom(caller)) return done(tooManyArriving());
      callers.set(caller, (callers.get(caller) ?? new Set()).add(request));
      size += 1;
      reply.raw.once('close', () => forget(request));
      done();
    },
    takeTurn(request, _reply, done) {
      if (callers.get(callerOf(request))?.has(request) !== true) return done(tooManyArriving());
      turns.take(request, { line: request.identity.accountId, done });
    },
    leave: forget,
  };
}

/** The credentials that a request shows. They are not checked yet: one account may be several callers. */
function callerOf({ headers }: FastifyRequest): string {
  return headers.authorization ?? headers.cookie ?? '';
}

function newestWaiting(own: ReadonlySet<FastifyRequest>, turns: Turns<FastifyRequest>): FastifyRequest | undefined {
  return [...own].findLast((request) => !turns.hasTurn(request));
}

/** A body that stalls keeps nobody out. */
function oldestIncomplete(callers: ReadonlyMap<string, ReadonlySet<FastifyRequest>>): FastifyRequest | undefined {
  for (const own of callers.values()) for (const request of own) if (!request.raw.complete) return request;
  return undefined;
}

function tooManyArriving(): MeshError {
  const message = 'Too many runs have arrived at once (GATEWAY_MAX_ARRIVING_RUNS). Try again later.';
  return new MeshError('resource_exhausted', 'arriving_runs', message);
}
