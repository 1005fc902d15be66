/** Tells if an attempt has lost its turn, so that nothing more can be written. Almost none does: the signal is made for those who wait for it. */
export class LostTurn {
  #reason: Error | undefined;
  #controller: AbortController | undefined;

  /** Why the turn is lost; undefined while it is held. */
  get reason(): Error | undefined {
    return this.#reason;
  }

  /** Aborts with the reason when the turn is lost. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first reason counts. */
  lose(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  /** Throws the reason if the turn is lost. */
  check(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }
}
