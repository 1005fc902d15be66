import type { Bus } from '@agentmesh/lib/bus';
import type { Logger, Metrics } from '@agentmesh/lib/telemetry';
import type { Clients } from './clients.ts';
import type { Config } from './config.ts';
import type { Authentication } from './edge/authentication/authenticate.ts';
import type { ArrivingRuns } from './edge/arrivals/arriving-runs.ts';
import type { BodyBudgets } from './edge/bodies/receive-body.ts';
import type { BrowserSession } from './edge/authentication/browser/browser-session.ts';
import type { RunTickets } from './edge/authentication/run-tickets.ts';
import type { AddressLimit } from './edge/throttle/address-limit.ts';
import type { SignIn } from './edge/throttle/sign-in.ts';

export type { App } from './edge/http/app.ts';

/** Parts that slices use. */
export interface Context extends Clients {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly authentication: Authentication;
  /** Sign-in of browsers; undefined unless the console or the web UI is served. */
  readonly browser: BrowserSession | undefined;
  readonly runTickets: RunTickets;
  /** Room for bodies that are kept in memory. */
  readonly bodies: BodyBudgets;
  /** Requests that start runs, on all routes that do. */
  readonly arriving: ArrivingRuns;
  /** Makes the next request of an account ask auth again. */
  readonly forgetAccount: (accountId: string) => void;
  readonly signIn: SignIn;
  readonly limitMail: AddressLimit;
  readonly limitSignUp: AddressLimit;
  readonly limitAnswers: AddressLimit;
  readonly limitDevices: AddressLimit;
  /** Limits exports by the account that asks. */
  readonly limitExports: AddressLimit;
  readonly bus: Bus;
  /** Aborts when the process starts to drain. */
  readonly draining: AbortSignal;
  /** Aborts shortly before the end of the drain: streams that are still open tell their readers where to go on. */
  readonly leaving: AbortSignal;
}

/** Deadline of short calls to services. */
export const unary = { timeoutMs: 30_000 } as const;
