import type { Call, Reply } from './reply.ts';

/**
 * Effect of a fault on a request. Reply: a prepared reply without any effect; `drop`: the connection breaks before any effect;
 * `lose`: the request takes effect and the connection breaks instead of the answer; `truncate`: half of the answer; `malformed`:
 * invalid JSON of status 200 after the effect; `until`: the request is served when the promise settles; `wait`: when one settles that is made for it.
 */
export type FaultAction =
  | Reply
  | 'drop'
  | 'lose'
  | 'truncate'
  | 'malformed'
  | { readonly until: Promise<unknown> }
  | { readonly wait: () => Promise<unknown> };

export interface Fault {
  readonly method?: string;
  /** A decoded path, or a pattern for it. Default: every path. */
  readonly path?: string | RegExp;
  /** A further condition, e.g. a seeded chance. */
  readonly when?: (call: Call) => boolean;
  /** Number of requests that it strikes. Default 1. */
  readonly times?: number;
  readonly action: FaultAction;
}

/** The faults of one fake, in the order in which they were added. */
export class Faults {
  #faults: { readonly fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.#faults = [];
  }

  /** The action of the first fault that matches; it is used up once. */
  take(call: Call): FaultAction | undefined {
    const found = this.#faults.find(({ fault, left }) => left > 0 && strikes(fault, call));
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.fault.action;
  }
}

function strikes({ method, path, when }: Fault, call: Call): boolean {
  if (method !== undefined && method !== call.method) return false;
  if (typeof path === 'string' && path !== call.path) return false;
  if (path instanceof RegExp && !path.test(call.path)) return false;
  return when === undefined || when(call);
}
