/** A token, or a function that gets one. It is called again, with the refused token, when the server refuses a token. */
export type TokenSource = string | ((refused?: string) => string | undefined | Promise<string | undefined>);

/** The token of a client. One renewal runs at a time, and all requests that wait for a token share it. */
export class Credentials {
  #token: string | undefined;
  #renew: ((refused?: string) => string | undefined | Promise<string | undefined>) | undefined;
  #renewing: Promise<void> | undefined;
  /** Sign-ins and sign-outs so far. */
  #changes = 0;
  readonly #isLazy: boolean;

  /** `renew` gets a token where `source` gives none; it is asked only after a refusal. */
  constructor(source: TokenSource | undefined, renew: () => Promise<string | undefined>) {
    this.#token = typeof source === 'string' ? source.trim() : undefined;
    this.#isLazy = source === undefined;
    if (source === undefined) this.#renew = renew;
    if (typeof source === 'function') this.#renew = source;
  }

  /** The token to send; undefined for none. */
  async token(): Promise<string | undefined> {
    if (this.#token === undefined && !this.#isLazy) await this.#replace(undefined);
    return sendable(this.#token);
  }

  /** A token in place of the one that was refused; undefined when there is no other. */
  async replace(refused: string | undefined): Promise<string | undefined> {
    if (this.#token !== refused) return sendable(this.#token);
    await this.#replace(refused);
    return this.#token === refused ? undefined : sendable(this.#token);
  }

  /** Sets the token that a sign-in has answered; undefined after a sign-out. */
  set(token: string | undefined): void {
    this.#token = token;
    this.#changes += 1;
  }

  #replace(refused: string | undefined): Promise<void> {
    this.#renewing ??= this.#ask(refused).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #ask(refused: string | undefined): Promise<void> {
    const changes = this.#changes;
    const token = (await this.#renew?.(refused))?.trim();
    // A sign-in or sign-out that ended meanwhile is newer.
    if (token !== undefined && changes === this.#changes) this.#token = token;
  }
}

/** Throws where no header can hold the token. The error does not hold it: it is a secret. */
function sendable(token: string | undefined): string | undefined {
  if (token !== undefined && /[^ -~]/.test(token))
    throw new TypeError('The token has characters that no token has: look at how it is read.');
  return token;
}
