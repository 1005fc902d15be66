import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { connect, type ConnectDeps, type McpConnection } from './connect.ts';
import { McpFailure } from './mcp-failure.ts';
import { toMcpFailure } from './to-mcp-failure.ts';
import type { McpTarget } from './mcp-server.ts';

export interface ConnectionBounds {
  /** Connections of this process. */
  readonly most: number;
  /** Connections of one account. */
  readonly mostOfAccount: number;
  /** Child processes of this process. */
  readonly mostPrograms: number;
  /** Milliseconds without a call after which a connection is closed. */
  readonly idleMs: number;
  /** Milliseconds for which a server that could not be reached is not tried again. */
  readonly pauseMs: number;
}

/** A connection that is kept, or being made. */
export interface KeptConnection {
  readonly key: string;
  readonly target: McpTarget;
  readonly connection: Promise<McpConnection>;
  /** Calls that use it. */
  calls: number;
  isDropped: boolean;
}

/** A call that waits for a connection of its account. */
interface Waiting {
  readonly key: string;
  readonly target: McpTarget;
  readonly take: (entry: KeptConnection) => void;
  readonly refuse: (error: unknown) => void;
}

/** One connection for each target. Connections that are dropped are closed as soon as no call uses them. */
export class KeptConnections {
  readonly #deps: ConnectDeps;
  readonly #bounds: ConnectionBounds;
  readonly #failures: LRUCache<string, McpFailure>;
  readonly #kept: LRUCache<string, KeptConnection>;
  /** Calls that wait, by account, in their order. */
  readonly #waiting = new Map<string, Set<Waiting>>();
  #isServing = false;
  #isClosed = false;

  constructor(deps: ConnectDeps, bounds: ConnectionBounds) {
    this.#deps = deps;
    this.#bounds = bounds;
    this.#failures = new LRUCache({ max: bounds.most, ttl: bounds.pauseMs });
    this.#kept = new LRUCache({
      max: bounds.most,
      ttl: bounds.idleMs,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      disposeAfter: (entry) => {
        entry.isDropped = true;
        closeIfUnused(entry);
        this.#serve(entry.target.accountId);
      },
    });
  }

  /**
   * The connection of a target; to be given back by `giveBack`. While all connections of the account are in use, it waits for one of them.
   *
   * @throws McpFailure when there can be none now; and the reason of `patience`, which is asked for when it waits
   */
  take(target: McpTarget, patience: () => AbortSignal): KeptConnection | Promise<KeptConnection> {
    const key = keyOf(target);
    const mayOpen = !this.#waiting.has(target.accountId);
    const entry = this.#kept.get(key) ?? (mayOpen ? this.#open(key, target) : undefined);
    if (entry === undefined) return this.#wait(key, target, patience());
    entry.calls += 1;
    return entry;
  }

  giveBack(entry: KeptConnection): void {
    entry.calls -= 1;
    if (entry.isDropped) closeIfUnused(entry);
    else if (entry.calls === 0) this.#serve(entry.target.accountId);
  }

  /** Answers further uses of the target with this failure, for some seconds. */
  pause(entry: KeptConnection, failure: McpFailure): void {
    this.#failures.set(entry.key, failure);
    this.drop(entry);
  }

  /** Uses the connection for no further call. */
  drop(entry: KeptConnection): void {
    if (this.#kept.peek(entry.key) === entry) this.#kept.delete(entry.key);
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) for (const one of waiting) one.refuse(closed());
    this.#waiting.clear();
    const entries = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.allSettled(entries.map(async ({ connection }) => (await connection).close()));
  }

  /** Undefined when all connections of the account are in use. */
  #open(key: string, target: McpTarget): KeptConnection | undefined {
    const failure = this.#failures.get(key);
    if (failure !== undefined) throw failure;
    if (this.#isClosed) throw closed();
    if (!this.#makeRoom(target)) return undefined;
    const entry = { key, target, connection: connect(target, this.#deps), calls: 0, isDropped: false };
    this.#kept.set(key, entry);
    entry.connection.then(
      ({ broken }) => broken.addEventListener('abort', () => this.drop(entry), { once: true }),
      (error: unknown) => {
        this.#failures.set(key, toMcpFailure(error));
        this.drop(entry);
      },
    );
    return entry;
  }

  /** An account that opens too many connections loses its own oldest one. False when all are in use. */
  #makeRoom({ accountId, server }: McpTarget): boolean {
    const entries = Array.from(this.#kept.rkeys(), (key) => this.#kept.peek(key)).filter((one) => one !== undefined);
    const own = entries.filter(({ target }) => target.accountId === accountId);
    if (own.length >= this.#bounds.mostOfAccount && !this.#dropOldest(own)) return false;
    if (server.kind !== 'stdio') return true;
    const programs = entries.filter(({ target }) => target.server.kind === 'stdio');
    if (programs.length < this.#bounds.mostPrograms || this.#dropOldest(programs)) return true;
    throw new McpFailure('Too many programs of MCP servers are in use.');
  }

  #dropOldest(entries: readonly KeptConnection[]): boolean {
    const oldest = entries.find(({ calls }) => calls === 0);
    if (oldest !== undefined) this.drop(oldest);
    return oldest !== undefined;
  }

  async #wait(key: string, target: McpTarget, signal: AbortSignal): Promise<KeptConnection> {
    const { accountId } = target;
    const { promise, resolve: take, reject: refuse } = Promise.withResolvers<KeptConnection>();
    const waiting = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, waiting);
    const one: Waiting = { key, target, take, refuse };
    waiting.add(one);
    const leave = (): void => {
      if (!waiting.delete(one)) return;
      if (waiting.size === 0) this.#waiting.delete(accountId);
      refuse(signal.reason);
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** Hands connections on to calls of an account that wait. Making room for one drops another one, which is no reason to begin again. */
  #serve(accountId: string): void {
    const waiting = this.#waiting.get(accountId);
    if (waiting === undefined || this.#isServing) return;
    this.#isServing = true;
    let hasRoom = true;
    for (const one of waiting) hasRoom = this.#serveOne(one, waiting, hasRoom);
    this.#isServing = false;
    if (waiting.size === 0) this.#waiting.delete(accountId);
  }

  /** False when all connections of the account are in use: others may still share one. */
  #serveOne(one: Waiting, waiting: Set<Waiting>, hasRoom: boolean): boolean {
    try {
      const entry = this.#kept.get(one.key) ?? (hasRoom ? this.#open(one.key, one.target) : undefined);
      if (entry === undefined) return false;
      entry.calls += 1;
      waiting.delete(one);
      one.take(entry);
    } catch (error) {
      waiting.delete(one);
      one.refuse(error);
    }
    return hasRoom;
  }
}

/** Only a process that ends closes all. */
function closed(): McpFailure {
  return new McpFailure('Connections with MCP servers are closed: the process ends.');
}

function closeIfUnused({ calls, connection }: KeptConnection): void {
  if (calls === 0) connection.then((open) => open.close()).catch(() => undefined);
}

/** Headers may hold secrets, so the key is a hash. */
function keyOf(target: McpTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('base64');
}
