import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

type Authenticate = (request: FastifyRequest, reply: FastifyReply | undefined, done: HookHandlerDoneFunction) => void;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Checks the credentials of a request. Undefined on routes without authentication. */
    authenticate?: Authenticate;
  }
}

/** Most bytes of a body that are read before the caller's token was accepted, and most of all on routes of accounts. */
export const openBytes = 64 * 1024;
/** Most JSON values and keys of a body that is parsed before the caller's token was accepted. */
export const openValues = 5_000;

/** Routes of accounts. Their records are small. */
const accountPaths = /^\/api\/(?:auth|users)(?:\/|$)/;

/**
 * Notes on each route how it authenticates, so that large bodies are read after that. Routes of accounts and those without
 * authentication take at most 64 KiB. Call it before any route is added.
 */
export function limitBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { preValidation, config } = route;
    if (Array.isArray(preValidation)) throw new Error(`${route.url} has several hooks where one authenticates`);
    if (typeof preValidation === 'function') {
      route.config = { ...config, authenticate: preValidation as Authenticate };
    }
    const isSmall = preValidation === undefined || accountPaths.test(route.url);
    if (isSmall) route.bodyLimit = Math.min(openBytes, app.initialConfig.bodyLimit ?? openBytes);
  });
}
