import { MeshError } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { HttpError } from '../errors/request-error.ts';
import type { Bearer } from './bearer.ts';
import type { BrowserSession } from './browser/browser-session.ts';
import type { OpenStreams } from './follow-changes.ts';
import { checkScope, checkUser } from './grant-check.ts';
import { anonymous, type Identity } from './identity.ts';
import type { PushCallers } from './push-callers.ts';
import { type RunTickets, ticketedRun } from './run-tickets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the authentication hooks; absent on routes without one. */
    identity: Identity;
  }
}

type Hook = (request: FastifyRequest, reply: FastifyReply | undefined, done: HookHandlerDoneFunction) => void;

export interface Authentication {
  /** Requires a bearer token, or the cookie of a browser that has signed in to the console or the web UI. */
  readonly account: Hook;
  /**
   * Requires a bearer token that was issued for the password: 403 `password_required` for one that a refresh cookie was enough for. For
   * routes with which a stolen cookie would be used for good.
   */
  readonly owner: Hook;
  /** For runtime routes: like `account`, or no credentials with `RUNTIME_AUTH=open`. */
  readonly runtime: Hook;
  /** For the events of a run: like `runtime`, or a ticket in the query. */
  readonly watcher: Hook;
  /** For pushes of Google: requires a token that Google has made for a service account of `ADK_TRIGGER_ACCOUNTS` and for the address of the request. */
  readonly push: Hook;
  /** For streams without an end of their own: ends one within a second after the credential with which `account` has let it in is refused. */
  readonly onRefusal: (request: FastifyRequest, stream: OpenStream) => void;
  /**
   * For streams of runs: calls `end` within a second after their credential was revoked, unless what is returned is disposed before. A run may last longer than the time of
   * a credential, which ends no stream.
   */
  readonly onRevocation: OpenStreams['add'];
  /** Runs on every route after the fields were checked: refuses a personal token outside of its end user's data. */
  readonly withinGrant: Hook;
}

export interface OpenStream {
  /** Aborts when the stream has ended. */
  readonly left: AbortSignal;
  readonly end: () => void;
}

/** Limits how many requests an account sends. */
export interface RequestLimit {
  /** Takes one request. Returns 0 when it is allowed, else the seconds until one is. */
  take(accountId: string): number;
  /** The error of a request that is not allowed. */
  refusal(): Error;
}

export interface AuthenticationOptions {
  readonly bearer: Bearer;
  /** Undefined unless the console or the web UI is served. */
  readonly browser: BrowserSession | undefined;
  readonly isRuntimeOpen: boolean;
  readonly streams: OpenStreams;
  readonly limit: RequestLimit;
  readonly runTickets: RunTickets;
  readonly pushCallers: PushCallers;
}

/** The hooks run after the body was parsed and before its fields are checked. The contract prescribes that order. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const hooks = hooksOf(options);
  const { runTickets, pushCallers, limit, streams } = options;
  const watcher: Hook = (request, reply, done) => {
    const { ticket, ...place } = request.query as { ticket?: unknown };
    if (typeof ticket !== 'string') return hooks.runtime(request, reply, done);
    const { invocation_id: run } = request.params as { invocation_id: string };
    settle(() => runTickets.identify(ticket, ticketedRun(run, place)), { request, reply, done, limit });
  };
  const push: Hook = (request, reply, done) => {
    settle(() => pushCallers.identify(request), { request, reply, done, limit });
  };
  return { ...hooks, watcher, push, onRevocation: (identity, end) => streams.add(identity, end), withinGrant };
}

type Hooks = Omit<Authentication, 'watcher' | 'push' | 'onRevocation' | 'withinGrant'>;

function hooksOf({ bearer, browser, isRuntimeOpen, limit }: AuthenticationOptions): Hooks {
  // A bearer token, or the cookie of a browser that sends none.
  const identify = (request: FastifyRequest): Identity | Promise<Identity> => {
    const { authorization } = request.headers;
    return authorization === undefined && browser?.isPresent(request) === true
      ? browser.identify(request)
      : bearer.identify(authorization);
  };
  const account: Hook = (request, reply, done) => settle(() => identify(request), { request, reply, done, limit });
  const owner: Hook = (request, reply, done) => {
    account(request, reply, (error) => {
      if (error === undefined && (request.identity.isFromCookie || isByCookie(request))) done(passwordRequired());
      else done(error);
    });
  };
  const runtime = isRuntimeOpen ? openTo(account, browser) : account;
  return { account, owner, runtime, onRefusal: (request, stream) => onRefusal(() => identify(request), stream) };
}

/** Milliseconds between two looks at the credential of an open stream. They ask auth once a minute, and after a change of the account. */
const lookMs = 500;

/** While credentials cannot be checked, the stream goes on. */
function onRefusal(identify: () => Identity | Promise<Identity>, { left, end }: OpenStream): void {
  const look = async (): Promise<void> => {
    try {
      await identify();
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) end();
    }
  };
  const timer = setInterval(() => void look(), lookMs);
  left.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Whether a request that was let in has shown no token. */
function isByCookie({ headers }: FastifyRequest): boolean {
  return headers.authorization === undefined;
}

function passwordRequired(): MeshError {
  const message = 'Sign in again: this needs a token that was issued for the password.';
  return new MeshError('permission_denied', 'password_required', message);
}

const withinGrant: Hook = (request, _reply, done) => {
  // Routes without an authentication hook have no identity, although the type says so.
  const { grant } = (request as Partial<FastifyRequest>).identity ?? {};
  attempt(() => grant !== undefined && checkUser(grant, request), done);
};

/** Calls `done` once, with the error that `check` throws, if any. */
function attempt(check: () => unknown, done: HookHandlerDoneFunction): void {
  let failure: Error | undefined;
  try {
    check();
  } catch (error) {
    failure = error as Error;
  }
  done(failure);
}

/** No credentials: the caller is anonymous. Credentials that are sent must be valid. */
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
  /** Absent for a live connection. */
  readonly reply: FastifyReply | undefined;
  readonly limit: RequestLimit;
  readonly done: HookHandlerDoneFunction;
}

function settle(identify: () => Identity | Promise<Identity>, waiting: Waiting): void {
  let found: Identity | Promise<Identity>;
  try {
    found = identify();
  } catch (error) {
    waiting.done(error as Error);
    return;
  }
  if (found instanceof Promise) {
    found.then((identity) => admit(identity, waiting), waiting.done);
  } else {
    admit(found, waiting);
  }
}

function admit(identity: Identity, { request, reply, done, limit }: Waiting): void {
  request.identity = identity;
  const waitSeconds = limit.take(identity.accountId);
  if (waitSeconds > 0) {
    reply?.header('retry-after', waitSeconds);
    done(limit.refusal());
    return;
  }
  const { grant } = identity;
  if (grant === undefined) done();
  else attempt(() => checkScope(grant, request), done);
}
