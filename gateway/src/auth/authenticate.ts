import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Bearer } from './bearer.ts';
import { anonymous, type Identity } from './identity.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route behind an authentication hook. */
    identity: Identity;
  }
}

type Hook = (request: FastifyRequest, reply: unknown, done: HookHandlerDoneFunction) => void;

export interface Authentication {
  /** For everything that needs an account. */
  readonly account: Hook;
  /** For the runtime routes, which `RUNTIME_AUTH=open` serves without a token. */
  readonly runtime: Hook;
}

/** The hooks run after the body was parsed and before its fields are checked, as the contract orders it. */
export function createAuthentication(bearer: Bearer, isRuntimeOpen: boolean): Authentication {
  const account: Hook = (request, _reply, done) => {
    const { authorization } = request.headers;
    settle(() => bearer.identify(authorization), { request, done });
  };
  const runtime: Hook = (request, reply, done) => {
    if (request.headers.authorization !== undefined) return account(request, reply, done);
    request.identity = anonymous;
    done();
  };
  return { account, runtime: isRuntimeOpen ? runtime : account };
}

interface Waiting {
  readonly request: FastifyRequest;
  readonly done: HookHandlerDoneFunction;
}

function settle(identify: () => Identity | Promise<Identity>, { request, done }: Waiting): void {
  let found: Identity | Promise<Identity>;
  try {
    found = identify();
  } catch (error) {
    done(error as Error);
    return;
  }
  if (found instanceof Promise) {
    found.then((identity) => admit(identity, { request, done }), done);
  } else {
    admit(found, { request, done });
  }
}

function admit(identity: Identity, { request, done }: Waiting): void {
  request.identity = identity;
  done();
}
