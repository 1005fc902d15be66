import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** Requests to run an agent that have arrived and whose runs are not accepted yet. */
export interface ArrivingRuns {
  /** First hook of such a route. Refuses with `arriving_runs`, before the body is read, when too many have arrived. */
  readonly enter: (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;
  /** To be called when the run of a request was accepted. A request that ends before counts no more, either. */
  leave(request: FastifyRequest): void;
}

/** Bounds what a crowd may take from those that came first: a request that waits too long would be given up after all work for it. */
export function createArrivingRuns(most: number): ArrivingRuns {
  const arriving = new Set<FastifyRequest>();
  return {
    enter(request, reply, done) {
      if (arriving.size >= most) return done(tooManyArriving());
      arriving.add(request);
      reply.raw.once('close', () => arriving.delete(request));
      done();
    },
    leave: (request) => void arriving.delete(request),
  };
}

function tooManyArriving(): MeshError {
  const message = 'Too many runs have arrived at once (GATEWAY_MAX_ARRIVING_RUNS). Try again later.';
  return new MeshError('resource_exhausted', 'arriving_runs', message);
}
