import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnswerWatch, type Watched } from './answer-watch.ts';

class Connection implements Watched {
  bytesRead = 0;
  owesAnswer = false;
  readonly answerLimitMs = 7_500;
  abandoned = 0;

  abandon(): void {
    this.abandoned += 1;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('when a connection is lost, one that answered just before it was asked is given up with it', () => {
  const watch = new AnswerWatch();
  const [asked, idle, alive] = [new Connection(), new Connection(), new Connection()];
  for (const connection of [asked, idle, alive]) watch.add(connection);
  vi.advanceTimersByTime(1_000);
  // All in the time between two looks: one answers, then the server falls silent, and the other one is asked.
  idle.bytesRead += 1;
  asked.owesAnswer = true;
  for (let seconds = 0; seconds < 9; seconds += 1) {
    alive.bytesRead += 1;
    vi.advanceTimersByTime(1_000);
  }
  expect([asked, idle, alive].map(({ abandoned }) => abandoned > 0)).toEqual([true, true, false]);
});
