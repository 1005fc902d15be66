import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { Wake } from '@agentmesh/lib/wait';
import type { Logger } from '@agentmesh/lib/telemetry';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Change } from './change.ts';
import { changesSince, look, type Looking, type Sight } from './look.ts';

/** A change and its place; without a change, a gap: changes before this place are unknown to the reader. */
export interface PlacedChange {
  readonly place: string;
  readonly change: Change | undefined;
}

export interface AccountFeedOptions {
  readonly accountId: string;
  readonly services: Looking;
  readonly log: Logger;
  /** Called when nobody has read for a while. The feed is of no use from then on. */
  readonly onEnd: () => void;
}

/** Hints may be lost, and not everything has one: an account that is watched is looked at this often. */
const pauseMs = 4_000;
/** Agents are read less often without a hint: each this many looks. */
const looksPerAgents = 8;
/** Shortest pause between two looks, however many hints come. */
const shortestPauseMs = 400;
/** How long the feed goes on without a reader, so that one that was cut off finds its place. */
const lingerMs = 30_000;
const kept = 1_000;
const mostReaders = 50;

/** Changes of one account while somebody watches. It compares what it sees with what it saw before, so every replica finds them. */
export class AccountFeed {
  readonly #options: AccountFeedOptions;
  readonly #name = randomBytes(6).toString('hex');
  readonly #hint = new Wake();
  readonly #ending = new AbortController();
  readonly #readers = new Set<Wake>();
  /** The newest changes, and the number of all that were ever made. */
  readonly #changes: Change[] = [];
  #count = 0;
  #looks = 0;
  #isAgentHinted = false;
  #leftMs = performance.now();
  #sight: Promise<Sight>;

  constructor(options: AccountFeedOptions) {
    this.#options = options;
    this.#sight = look(options.services, options.accountId);
    this.#follow().catch((err: unknown) => options.log.error({ err }, 'a feed of changes broke'));
  }

  /** Resolves when changes from now on are found. Throws what the first look has thrown. */
  async ready(): Promise<void> {
    await this.#sight;
  }

  /** Makes the feed look at once. */
  hint(isAboutAgents: boolean): void {
    this.#isAgentHinted ||= isAboutAgents;
    this.#hint.wake();
  }

  end(): void {
    this.#ending.abort();
  }

  /** Throws MeshError resource_exhausted `change_watchers_too_many`. */
  enter(): Wake {
    if (this.#readers.size >= mostReaders) throw tooManyReaders;
    const wake = new Wake();
    this.#readers.add(wake);
    return wake;
  }

  leave(wake: Wake): void {
    this.#readers.delete(wake);
    this.#leftMs = performance.now();
  }

  /** Changes behind a place, then new ones until the signal aborts. `wake` is the one of `enter`. */
  async *read(wake: Wake, last: string | undefined, signal: AbortSignal): AsyncGenerator<PlacedChange> {
    let at = this.#numberOf(last);
    while (!signal.aborted) {
      const oldest = this.#count - this.#changes.length;
      if (at === undefined || at < oldest) {
        at = this.#count;
        yield { place: this.#placeOf(at), change: undefined };
      } else if (at < this.#count) {
        const change = this.#changes[at - oldest];
        at += 1;
        yield { place: this.#placeOf(at), change };
      } else await wake.wait({ signal });
    }
  }

  #placeOf(number: number): string {
    return `${this.#name}-${number}`;
  }

  #numberOf(place: string | undefined): number | undefined {
    const [name, number] = place?.split('-') ?? [];
    return name === this.#name && /^\d{1,15}$/.test(number ?? '') ? Number(number) : undefined;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    try {
      await this.#sight.catch(() => this.end());
      while (!signal.aborted && !this.#isDeserted()) {
        await this.#hint.wait({ timeoutMs: pauseMs, signal });
        if (!signal.aborted) await this.#look();
        await setTimeout(shortestPauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      }
    } finally {
      this.end();
      this.#options.onEnd();
    }
  }

  #isDeserted(): boolean {
    return this.#readers.size === 0 && performance.now() - this.#leftMs > lingerMs;
  }

  async #look(): Promise<void> {
    const { services, accountId, log } = this.#options;
    const before = await this.#sight;
    this.#looks += 1;
    const readsAgents = this.#isAgentHinted || this.#looks % looksPerAgents === 0;
    this.#isAgentHinted = false;
    try {
      const after = await look(services, accountId, readsAgents ? undefined : before.agents);
      this.#tell(changesSince(before, after));
      this.#sight = Promise.resolve(after);
    } catch (err) {
      this.#isAgentHinted ||= readsAgents;
      log.warn({ err }, 'changes of an account cannot be read; they are told later');
    }
  }

  #tell(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#changes.push(...changes);
    this.#changes.splice(0, this.#changes.length - kept);
    this.#count += changes.length;
    for (const wake of this.#readers) wake.wake();
  }
}

const tooManyReaders = new MeshError(
  'resource_exhausted',
  'change_watchers_too_many',
  `One process serves at most ${mostReaders} streams of changes to an account.`,
);
