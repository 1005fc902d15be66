interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Asks with one statement what several ask at the same moment. `ask` answers in the order of the questions. */
export class Together<Asked, Answer> {
  readonly #ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>;
  #waiting: Waiting<Asked, Answer>[] = [];

  constructor(ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>) {
    this.#ask = ask;
  }

  /** Rejects like `ask`, with all that were asked together. */
  ask(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ asked, resolve, reject }) === 1) setImmediate(() => void this.#send());
    });
  }

  async #send(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const answers = await this.#ask(waiting.map(({ asked }) => asked));
      for (const [place, { resolve }] of waiting.entries()) resolve(answers[place] as Answer);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
