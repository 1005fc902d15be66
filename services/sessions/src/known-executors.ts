import type { Database } from '@agentmesh/lib/pg';
import { registerExecutor } from './store/replicas/executors.ts';

const mostKnown = 10_000;

/** Executors that have asked this process for runs. Each has a lease before it gets its first run, so its runs are found when it dies. */
export class KnownExecutors {
  readonly #leaseSeconds: number;
  readonly #known = new Set<string>();

  constructor({ leaseSeconds }: { readonly leaseSeconds: number }) {
    this.#leaseSeconds = leaseSeconds;
  }

  /** Undefined for an executor that is known: it extends its lease itself. */
  meet(db: Database, owner: string): Promise<void> | undefined {
    return this.#known.has(owner) ? undefined : this.#register(db, owner);
  }

  async #register(db: Database, owner: string): Promise<void> {
    await registerExecutor(db, owner, this.#leaseSeconds);
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.add(owner);
  }
}
