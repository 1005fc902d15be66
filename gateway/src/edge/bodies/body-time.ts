import type { FastifyInstance } from 'fastify';
import { forgetClosed, onceClosed } from '../streams/once-closed.ts';
import { onClientError } from '../http/client-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as it arrives and limits the time itself. */
    flows?: boolean;
  }
  interface FastifyRequest {
    /** Undefined without a body, and on routes that read their body as it arrives. */
    bodyTimer: BodyTimer | undefined;
  }
}

/** Limits the time in which a body arrives. */
export interface BodyTimer {
  /** Call it for each piece of the body. */
  progress(): void;
}

export interface BodyTimes {
  /** Longest time without progress. */
  readonly idleMs: number;
  /** Time after which progress does not count any more. */
  readonly totalMs: number;
}

const tooLate = Object.assign(new Error('The body took too long to arrive.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** Answers 408 and closes the connection when a body stalls, or arrives too slowly altogether. */
export function limitBodyTime(app: FastifyInstance, { idleMs, totalMs }: BodyTimes): void {
  app.decorateRequest('bodyTimer', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    const { raw, routeOptions } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (routeOptions.config.flows !== true && (length !== '0' || encoding !== undefined)) {
      const timer = setTimeout(() => {
        if (reply.raw.headersSent) raw.socket.destroy();
        else onClientError(tooLate, raw.socket);
      }, idleMs);
      const end = performance.now() + totalMs;
      request.bodyTimer = { progress: () => void (performance.now() < end && timer.refresh()) };
      const stop = (): void => clearTimeout(timer);
      // A request whose body was not read to its end has no event of its own when its connection closes.
      onceClosed(reply.raw, stop);
      raw.once('end', () => {
        stop();
        // Its answer may last for long.
        forgetClosed(reply.raw, stop);
        request.bodyTimer = undefined;
      });
    }
    done();
  });
}
