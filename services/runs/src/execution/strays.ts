import { MeshError } from '@agentmesh/lib/rpc';
import { ArrivalOrder, type Link } from '@agentmesh/lib/wait';

/** Looks after a call whose outcome is not known: a process of sessions that was stopped may commit what it was asked for after the first ones. */
const looksAfterDoubt = 5;
/** Longest time in milliseconds between looks. */
const periodMs = 60_000;
/** Codes of errors with which nothing was given to this process. */
const refused = new Set<string>([
  'invalid_argument',
  'not_found',
  'already_exists',
  'permission_denied',
  'unauthenticated',
  'failed_precondition',
  'resource_exhausted',
  'aborted',
]);

interface Call {
  readonly sentAtMs: number;
}

/**
 * When to look for strays: runs that the ledger says this process executes, and that it does not know, because the answer that gave it the run was lost, or the end
 * of its attempt could not be stored. The lease of the process keeps all others from them, so it has to ask for them itself.
 */
export class Strays {
  /** Calls under way that may give this process a run, the oldest first. */
  readonly #calls = new ArrivalOrder<Call>();
  #looksLeft = 0;
  #nextLookMs = performance.now() + periodMs * Math.random();
  /** The database's clock when the latest renewal was answered. */
  #read: { readonly now: number; readonly readAtMs: number } | undefined;

  /** Does what may give this process a run, and starts what it was given. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const call = this.enter();
    try {
      return await work();
    } catch (error) {
      this.failed(error);
      throw error;
    } finally {
      this.leave(call);
    }
  }

  /** To be called before what may give this process a run, and `leave` when the run has started: as `during`, without functions. */
  enter(): Link<Call> {
    return this.#calls.add({ sentAtMs: performance.now() });
  }

  leave(call: Link<Call>): void {
    this.#calls.remove(call);
  }

  /** To be called with the error of what might have given this process a run. */
  failed(error: unknown): void {
    if (!(error instanceof MeshError && refused.has(error.code))) this.suspect();
  }

  /** To be called when the ledger may say that this process executes a run that it does not know. */
  suspect(): void {
    this.#looksLeft = looksAfterDoubt;
  }

  /**
   * The time, by the database's clock in Unix seconds, before which runs of this process were begun whose answer is not under way: those that are not among its
   * attempts are strays. 0: it is not worth a look now.
   */
  begunBefore(): number {
    const isDue = this.#looksLeft > 0 || performance.now() >= this.#nextLookMs;
    if (!isDue || this.#read === undefined) return 0;
    const { now, readAtMs } = this.#read;
    return now - Math.max(0, readAtMs - (this.#calls.oldest?.sentAtMs ?? readAtMs)) / 1_000;
  }

  /** To be called with the answer of a renewal; `looked`: it was asked for strays. */
  told(now: number, looked: boolean): void {
    this.#read = { now, readAtMs: performance.now() };
    if (!looked) return;
    this.#looksLeft = Math.max(0, this.#looksLeft - 1);
    this.#nextLookMs = performance.now() + periodMs;
  }
}
