/** The run cannot go on where its executor stopped. */
export class RunNotContinued extends Error {
  override readonly name = 'RunNotContinued';

  constructor(why: string) {
    super(`The executor of the run stopped before the run had ended, and the run cannot be continued: ${why}.`);
  }
}

/** Whether an error is RunNotContinued, also one that comes from a worker. */
export function isNotContinued(error: unknown): error is Error {
  return error instanceof Error && error.name === 'RunNotContinued';
}
