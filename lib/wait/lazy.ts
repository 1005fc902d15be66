/**
 * Something that is made with its first use, e.g. connections whose library takes long to load. When making it fails, its next use tries again.
 *
 *     const agent = new Lazy(async () => new (await import('undici')).Agent(), (made) => made.destroy());
 *     await (await agent.get()).request(…);
 */
export class Lazy<T> implements AsyncDisposable {
  readonly #make: () => Promise<T>;
  readonly #end: (made: T) => Promise<void>;
  #made: Promise<T> | undefined;
  #isDisposed = false;

  constructor(make: () => Promise<T>, end: (made: T) => Promise<void> = async () => undefined) {
    this.#make = make;
    this.#end = end;
  }

  /** Rejects with the error of making it, and with an Error after it was disposed. */
  get(): Promise<T> {
    if (this.#isDisposed) return Promise.reject(new Error('It was closed.'));
    this.#made ??= this.#tryToMake();
    return this.#made;
  }

  async #tryToMake(): Promise<T> {
    try {
      return await this.#make();
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }

  /** Ends what was made. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const [outcome] = await Promise.allSettled([this.#made]);
    if (outcome.status === 'fulfilled' && outcome.value !== undefined) await this.#end(outcome.value);
  }
}
