/** Whether the model has begun to answer a call, in any of its attempts. Its provider charges what it has read, also when the answer breaks off. */
export class Speech {
  readonly #onBegin: (() => void) | undefined;
  hasBegun = false;

  constructor(onBegin: (() => void) | undefined) {
    this.#onBegin = onBegin;
  }

  begin(): void {
    if (!this.hasBegun) this.#onBegin?.();
    this.hasBegun = true;
  }
}
