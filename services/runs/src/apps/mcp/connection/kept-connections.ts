import { createHash } from 'node:crypto';
import { unlessAborted } from '@agentmesh/lib/wait';
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

/** One connection for each target. Connections that are dropped are closed as soon as no call uses them. */
export class KeptConnections {
  readonly #deps: ConnectDeps;
  readonly #bounds: ConnectionBounds;
  readonly #failures: LRUCache<string, McpFailure>;
  readonly #kept: LRUCache<string, KeptConnection>;
  /** By account, lets calls look for a connection again, in their order. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(deps: ConnectDeps, bounds: ConnectionBounds) {
    this.#deps = deps;
    this.#bounds = bounds;
    this.#failures = new LRUCache({ max: bounds.most, ttl: bounds.pauseMs });
    this.#kept = new LRUCache({
      max: bounds.most,
      ttl: bounds.idleMs,
      ttlAutopurge: true,
      updateAgeOnGet: true,
      dispose: (entry) => {
        entry.isDropped = true;
        closeIfUnused(entry);
        this.#wakeNext(entry.target.accountId);
      },
    });
  }

  /**
   * The connection of a target; to be given back by `giveBack`. While all connections of the account are in use, it waits for one of them.
   *
   * @throws McpFailure when there can be none now; and the reason of `patience`, which is asked for when it waits
   */
  async take(target: McpTarget, patience: () => AbortSignal): Promise<KeptConnection> {
    const key = keyOf(target);
    for (;;) {
      const entry = this.#kept.get(key) ?? this.#open(key, target);
      if (entry !== undefined) {
        entry.calls += 1;
        return entry;
      }
      await this.#untilWoken(target.accountId, patience());
    }
  }

  giveBack(entry: KeptConnection): void {
    entry.calls -= 1;
    if (entry.isDropped) closeIfUnused(entry);
    else if (entry.calls === 0) this.#wakeNext(entry.target.accountId);
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
    const entries = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.allSettled(entries.map(async ({ connection }) => (await connection).close()));
  }

  /** Undefined when all connections of the account are in use. */
  #open(key: string, target: McpTarget): KeptConnection | undefined {
    const failure = this.#failures.get(key);
    if (failure !== undefined) throw failure;
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

  async #untilWoken(accountId: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, waiting);
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    try {
      await unlessAborted(promise, signal);
    } catch (error) {
      // One that was woken and leaves wakes the next one in its place.
      if (!waiting.delete(resolve)) this.#wakeNext(accountId);
      if (waiting.size === 0) this.#waiting.delete(accountId);
      throw error;
    }
  }

  #wakeNext(accountId: string): void {
    const waiting = this.#waiting.get(accountId);
    const [next] = waiting ?? [];
    if (waiting === undefined || next === undefined) return;
    waiting.delete(next);
    if (waiting.size === 0) this.#waiting.delete(accountId);
    next();
  }
}

function closeIfUnused({ calls, connection }: KeptConnection): void {
  if (calls === 0) connection.then((open) => open.close()).catch(() => undefined);
}

/** Headers may hold secrets, so the key is a hash. */
function keyOf(target: McpTarget): string {
  return createHash('sha256').update(JSON.stringify(target)).digest('base64');
}
