/** `too_large`: an answer is over a bound of its own. `no_room`: together with the other answers that arrive it is over the budget. */
export type AnswerFault = 'too_large' | 'no_room';

/** An answer of another server was given up while it arrived. The message is public. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused';
  readonly fault: AnswerFault;

  constructor(fault: AnswerFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The AnswerRefused that an error is or was caused by; libraries wrap the errors of bodies that they read. */
export function answerRefusedBy(error: unknown): AnswerRefused | undefined {
  let at = error;
  for (let depth = 0; depth < deepestCause && at instanceof Error; depth += 1, at = at.cause) {
    if (at instanceof AnswerRefused) return at;
  }
  return undefined;
}

const deepestCause = 5;
