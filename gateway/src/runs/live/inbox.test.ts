import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createBodyBudget } from '../../edge/bodies/body-budget.ts';
import { Pace } from '../../edge/pace.ts';
import { Inbox } from './inbox.ts';

/** A socket of a client, and its inbox at the server. */
async function connect() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new WebSocketServer({ server });
  const budget = createBodyBudget(1_000_000);
  const opened = Promise.withResolvers<{ readonly inbox: Inbox; readonly socket: WebSocket }>();
  sockets.on('connection', (socket, { socket: stream }) => {
    const pace = new Pace({ bytesPerSecond: 1e9, burstBytes: 1e9 });
    const hold = (_bytes: number, giveUp: () => void) => budget.hold(giveUp);
    const onFull = () => socket.terminate();
    opened.resolve({ socket, inbox: new Inbox(socket, { messages: 16, bytes: 1e6, stream, pace, hold, onFull }) });
  });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const dispose = async () => {
    client.terminate();
    sockets.close();
    await new Promise((resolve) => server.close(resolve));
  };
  return { ...(await opened.promise), client, budget, [Symbol.asyncDispose]: dispose };
}

test('a message holds its room once, and gives it back when it is taken', async () => {
  await using own = await connect();
  await once(own.client, 'open');
  own.client.send('x'.repeat(50_000));
  await once(own.socket, 'message');
  await new Promise(setImmediate);
  expect(own.budget.heldBytes).toBe(50_000);
  expect((await own.inbox.next())?.data).toHaveLength(50_000);
  expect(own.budget.heldBytes).toBe(0);
});

test('pings and pongs are no part of a message', async () => {
  await using own = await connect();
  await once(own.client, 'open');
  own.socket.ping('are you there?');
  await once(own.socket, 'pong');
  own.client.ping('x'.repeat(100));
  await once(own.client, 'pong');
  expect(own.budget.heldBytes).toBe(0);
});
