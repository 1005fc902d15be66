import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import type { DurableName } from '../driver/index.ts';
import { type Link, natsUnavailable } from './link.ts';
import { namesOf } from '../names/index.ts';

const BATCH = 100;
const WAIT_MS = 1_000;

/** Moves the dead letters of a durable consumer to the subject from which it gets them again. Returns their number. */
export async function replayDeadLetters({ connection }: Link, name: DurableName): Promise<number> {
  const client = jetstream(connection);
  let count = 0;
  try {
    for (let moved = -1; moved !== 0; count += moved) moved = await moveSome(client, name);
    return count;
  } catch (error) {
    throw natsUnavailable(error);
  }
}

async function moveSome(client: JetStreamClient, name: DurableName): Promise<number> {
  const { stream, deadConsumer, again } = namesOf(name);
  const consumer = await client.consumers.get(stream, deadConsumer);
  let moved = 0;
  for await (const letter of await consumer.fetch({ max_messages: BATCH, expires: WAIT_MS })) {
    await client.publish(again, letter.data, letter.headers === undefined ? {} : { headers: letter.headers });
    await letter.ackAck();
    moved += 1;
  }
  return moved;
}
