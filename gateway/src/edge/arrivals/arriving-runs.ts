import { Stopping, Turns, type TurnsOptions } from '@agentmesh/lib/wait';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { clientLeft } from '../streams/client-left.ts';
import { onceClosed } from '../streams/once-closed.ts';
import { type Arrival, createArrivals } from './arrivals.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that start runs. */
    arrival: Arrival | undefined;
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** Requests to run an agent that have arrived and whose runs are not accepted yet, and such messages of live connections. */
export interface ArrivingRuns {
  /**
   * First hook of such a route. Where too many have arrived, it refuses with `arriving_runs`, before the body is read, or takes the place of another one: the
   * newest of the caller who has the most, if that is more than this one would have; else the oldest whose body has not arrived.
   */
  readonly enter: Hook;
  /** Last hook of such a route. Waits where many runs are being accepted; accounts take turns. */
  readonly takeTurn: Hook;
  /** The same for a route that stores something else and ends when that is done: it has no hook `enter`. */
  readonly inTurn: Hook;
  /** To be called when the run of a request was accepted. A request that ends earlier leaves by itself. */
  leave(request: FastifyRequest): void;
  /**
   * Enters for a message of a live connection that `request` has opened, and calls `accept` when it is its turn: to accept the run. What it is called with ends
   * when the connection does meanwhile.
   *
   * @throws MeshError resource_exhausted `arriving_runs`; canceled `client_left` when the connection ends before its turn; and what `accept` throws
   */
  forMessage<T>(request: FastifyRequest, accept: (left: Stopping) => Promise<T>): Promise<T>;
}

/**
 * Turns to store something, of all accounts and of one beside others: enough to share commits, and few enough that the next one waits a short time. One that is alone leaves
 * sixteen: it may keep its own until `runs` has accepted all its runs.
 */
const usual: TurnsOptions = { atOnce: 128, ofLine: 16, ofLineAlone: 112, longestMs: 250, restFactor: 0.25 };

/** Bounds what a crowd may take from those that came first, and what one caller may take from others. */
export function createArrivingRuns(most: number, options = usual): ArrivingRuns {
  const turns = new Turns(options);
  const arrivals = createArrivals(most, turns);
  return {
    enter(request, reply, done) {
      const arrival = { caller: callerOf(request), isWhole: () => request.raw.complete };
      try {
        arrivals.add(arrival);
      } catch (error) {
        done(error as Error);
        return;
      }
      request.arrival = arrival;
      onceClosed(reply.raw, () => arrivals.leave(arrival));
      done();
    },
    takeTurn({ arrival, identity }, _reply, done) {
      if (arrival === undefined) throw new Error('a route that takes turns has no hook `enter`');
      arrivals.takeTurn(arrival, { line: identity.accountId, done });
    },
    inTurn: inTurnOf(turns),
    leave({ arrival }) {
      if (arrival !== undefined) arrivals.leave(arrival);
    },
    async forMessage(request, accept) {
      const { socket } = request.raw;
      if (socket.destroyed) throw clientLeft;
      const arrival = { caller: callerOf(request), isWhole: () => true };
      arrivals.add(arrival);
      const left = new Stopping();
      const onClose = (): void => {
        left.abort(clientLeft);
        arrivals.giveUp(arrival, clientLeft);
      };
      socket.once('close', onClose);
      try {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        const done = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        arrivals.takeTurn(arrival, { line: request.identity.accountId, done });
        await promise;
        return await accept(left);
      } finally {
        socket.off('close', onClose);
        arrivals.leave(arrival);
      }
    },
  };
}

/** The turn ends with the answer. A client that left while its token was checked takes none: nothing would end it. */
function inTurnOf(turns: Turns): Hook {
  return ({ identity }, reply, done) => {
    if (reply.raw.destroyed) return done(clientLeft);
    const turn = turns.take(identity.accountId, done);
    onceClosed(reply.raw, () => turn.end());
    if (turn.isHeld) done();
  };
}

function callerOf({ headers }: FastifyRequest): string {
  return headers.authorization ?? headers.cookie ?? '';
}
