import { type Consumer, jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { busUnavailable, type DurableName } from '../driver/index.ts';
import type { Link } from './link.ts';
import { namesOf } from '../names/index.ts';

const BATCH = 100;
/** Longest wait for the next one. A busy server may need seconds for it. */
const WAIT_MS = 5_000;

/**
 * Moves the dead letters of a durable consumer to the subject from which it gets them again. Returns their number. Those that come while it works, because their
 * handler fails at once, stay.
 */
export async function replayDeadLetters({ connection }: Link, name: DurableName): Promise<number> {
  const client = jetstream(connection);
  const { stream, deadConsumer, again } = namesOf(name);
  let count = 0;
  try {
    const consumer = await client.consumers.get(stream, deadConsumer);
    const present = await presentIn(consumer);
    for (let moved = -1; moved !== 0 && count < present; count += moved) {
      moved = await moveSome(client, { consumer, again, limit: Math.min(BATCH, present - count) });
    }
    return count;
  } catch (error) {
    throw busUnavailable(error);
  }
}

/** Number of the dead letters of a durable consumer; 0 while there is no such consumer. */
export async function countDeadLetters({ connection }: Link, name: DurableName): Promise<number> {
  const { stream, deadConsumer } = namesOf(name);
  try {
    return await presentIn(await jetstream(connection).consumers.get(stream, deadConsumer));
  } catch (error) {
    if (error instanceof JetStreamApiError) return 0;
    throw busUnavailable(error);
  }
}

async function presentIn(consumer: Consumer): Promise<number> {
  const { num_pending: pending, num_ack_pending: unacknowledged } = await consumer.info();
  return pending + unacknowledged;
}

interface Move {
  readonly consumer: Consumer;
  readonly again: string;
  readonly limit: number;
}

async function moveSome(client: JetStreamClient, { consumer, again, limit }: Move): Promise<number> {
  let moved = 0;
  for await (const letter of await consumer.fetch({ max_messages: limit, expires: WAIT_MS })) {
    await client.publish(again, letter.data, letter.headers === undefined ? {} : { headers: letter.headers });
    await letter.ackAck();
    moved += 1;
  }
  return moved;
}
