import { expect } from 'vitest';

/**
 * Repeats a request until it gets `refusal`. Returns after how many milliseconds the last request began that was still accepted: how long a request takes
 * on a busy machine does not count.
 */
export async function msAccepted(ask: () => Promise<unknown>, refusal: object): Promise<number> {
  const from = performance.now();
  let [last, began] = [0, 0];
  const askAgain = (): Promise<unknown> => {
    [last, began] = [began, performance.now() - from];
    return ask();
  };
  await expect.poll(askAgain, { interval: 20 }).toMatchObject(refusal);
  return last;
}
