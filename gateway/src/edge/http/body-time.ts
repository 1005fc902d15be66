import type { FastifyInstance } from 'fastify';
import { onClientError } from './client-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body as it arrives and limits the time itself. */
    flows?: boolean;
  }
}

const tooLate = Object.assign(new Error('The body took too long to arrive.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** Allows `limitMs` for a whole body to arrive, then answers 408 and closes the connection. */
export function limitBodyTime(app: FastifyInstance, limitMs: number): void {
  app.addHook('onRequest', ({ raw, routeOptions }, reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (routeOptions.config.flows !== true && (length !== '0' || encoding !== undefined)) {
      const timer = setTimeout(() => {
        if (reply.raw.headersSent) raw.socket.destroy();
        else onClientError(tooLate, raw.socket);
      }, limitMs);
      raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    }
    done();
  });
}
