import { BaseAgent, createEvent, type Event } from '@google/adk/core';
import { expect, test } from 'vitest';
import { encode } from '../../../../test/stored-session.ts';
import type { RunRequest, WorkerMessage } from '../protocol.ts';
import type { Channel } from './channel.ts';
import { TurnRunner } from './turn-runner.ts';

const yielded = 500;

class Chatty extends BaseAgent {
  override async *runAsyncImpl(): AsyncGenerator<Event, void, void> {
    for (let number = 1; number <= yielded; number += 1) {
      yield createEvent({ author: this.name, content: { role: 'model', parts: [{ text: String(number) }] } });
    }
  }

  override async *runLiveImpl(): AsyncGenerator<Event, void, void> {}
}

const request: RunRequest = {
  kind: 'run',
  run: 1,
  invocationId: 'e-1',
  key: { accountId: 'a', appName: 'app', userId: 'u', sessionId: 's' },
  stateJson: encode({}),
  events: [],
  messageJson: encode({ role: 'user', parts: [{ text: 'hello' }] }),
  streaming: false,
  maxModelCalls: 5,
  earlierModelCalls: 0,
  isTakeover: false,
  isTraced: false,
};

test('an agent that yields faster than its host stores waits for it, and nothing is lost', async () => {
  const told: WorkerMessage[] = [];
  const channel = { tell: (message: WorkerMessage) => void told.push(message) } as unknown as Channel;
  const root = new Chatty({ name: 'chatty' });
  const printing = { end: () => undefined };
  const runner = new TurnRunner({ folder: '', channel, root, plugins: [], printing }, request);
  const over = runner.run();
  const events = () => told.filter((message) => message.kind === 'event');
  let read = 0;
  while (read < yielded) {
    await expect.poll(() => events().length).toBeGreaterThan(read);
    await new Promise(setImmediate);
    const [last] = events().slice(-1);
    expect(events().length - read).toBeLessThanOrEqual(64);
    read = events().length;
    if (last?.waits === true) runner.next();
  }
  await over;
  const texts = events().map(({ event }) => event.content?.parts?.[0]?.text);
  expect(texts).toEqual(Array.from({ length: yielded }, (_, index) => String(index + 1)));
});
