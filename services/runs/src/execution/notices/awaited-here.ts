import type { AwaitedRun } from '../../store/awaited-runs.ts';

/** The runs that this process has accepted and whose end becomes a notice. */
export class AwaitedHere {
  /** By account and id; then by all names, because runs of several sessions may have one id. */
  readonly #runs = new Map<string, Map<string, AwaitedRun>>();

  add(run: AwaitedRun): void {
    const key = keyOf(run);
    this.#runs.set(key, (this.#runs.get(key) ?? new Map<string, AwaitedRun>()).set(placeOf(run), run));
  }

  find(run: Pick<AwaitedRun, 'accountId' | 'invocationId'>): readonly AwaitedRun[] {
    return this.#runs.size === 0 ? [] : [...(this.#runs.get(keyOf(run))?.values() ?? [])];
  }

  delete(run: AwaitedRun): void {
    const alike = this.#runs.get(keyOf(run));
    alike?.delete(placeOf(run));
    if (alike?.size === 0) this.#runs.delete(keyOf(run));
  }
}

function keyOf({ accountId, invocationId }: Pick<AwaitedRun, 'accountId' | 'invocationId'>): string {
  return `${accountId}/${invocationId}`;
}

function placeOf({ appName, userId, sessionId }: AwaitedRun): string {
  return JSON.stringify([appName, userId, sessionId]);
}
