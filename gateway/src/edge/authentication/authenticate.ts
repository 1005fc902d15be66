import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Bearer } from './bearer.ts';
import type { BrowserSession } from './browser-session.ts';
import { checkScope, checkUser } from './grant-check.ts';
import { anonymous, type Identity } from './identity.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route behind an authentication hook. */
    identity: Identity;
  }
}

type Hook = (request: FastifyRequest, reply: unknown, done: HookHandlerDoneFunction) => void;

export interface Authentication {
  /** For everything that needs an account: a bearer token. */
  readonly account: Hook;
  /** For what the web UI reads beside the runtime routes: a bearer token or its cookie. */
  readonly page: Hook;
  /** For the runtime routes: the same, and with `RUNTIME_AUTH=open` neither. */
  readonly runtime: Hook;
  /** For every route, after its fields were checked: holds personal tokens to their end user. */
  readonly withinGrant: Hook;
}

export interface AuthenticationOptions {
  readonly bearer: Bearer;
  /** Absent while the web UI is not served. */
  readonly browser: BrowserSession | undefined;
  readonly isRuntimeOpen: boolean;
}

/** The hooks run after the body was parsed and before its fields are checked, as the contract orders it. */
export function createAuthentication({ bearer, browser, isRuntimeOpen }: AuthenticationOptions): Authentication {
  const account: Hook = (request, _reply, done) => {
    const { authorization } = request.headers;
    settle(() => bearer.identify(authorization), { request, done });
  };
  if (browser === undefined) {
    return { account, page: account, runtime: isRuntimeOpen ? openTo(account) : account, withinGrant };
  }
  const page: Hook = (request, reply, done) => {
    const isBearer = request.headers.authorization !== undefined || !browser.isPresent(request);
    if (isBearer) account(request, reply, done);
    else settle(() => browser.identify(request), { request, done });
  };
  return { account, page, runtime: isRuntimeOpen ? openTo(page, browser) : page, withinGrant };
}

const withinGrant: Hook = (request, _reply, done) => {
  // Open routes have no identity, whatever its type says.
  const { grant } = (request as Partial<FastifyRequest>).identity ?? {};
  attempt(() => grant !== undefined && checkUser(grant, request), done);
};

/** Calls `done` once, with what `check` throws. */
function attempt(check: () => unknown, done: HookHandlerDoneFunction): void {
  let failure: Error | undefined;
  try {
    check();
  } catch (error) {
    failure = error as Error;
  }
  done(failure);
}

/** Whoever shows nothing is nobody in particular; what is shown must be good. */
function openTo(check: Hook, browser?: BrowserSession): Hook {
  return (request, reply, done) => {
    const shows = request.headers.authorization !== undefined || browser?.isPresent(request) === true;
    if (shows) return check(request, reply, done);
    request.identity = anonymous;
    done();
  };
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
  const { grant } = identity;
  if (grant === undefined) done();
  else attempt(() => checkScope(grant, request), done);
}
