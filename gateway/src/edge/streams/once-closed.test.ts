import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { forgetClosed, onceClosed } from './once-closed.ts';

test('all that waits for the close of an answer is done once, in its order, with one listener; what was taken back is not', () => {
  const answer = new EventEmitter() as ServerResponse;
  const log: string[] = [];
  const takenBack = (): void => void log.push('taken back');
  onceClosed(answer, () => log.push('one'));
  onceClosed(answer, takenBack);
  onceClosed(answer, () => log.push('two'));
  forgetClosed(answer, takenBack);
  expect(answer.listenerCount('close')).toBe(1);
  answer.emit('close');
  answer.emit('close');
  expect(log).toEqual(['one', 'two']);
});
