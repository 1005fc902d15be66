import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { Bus } from '../bus.ts';
import { publisherOf, subjectOf } from '../names/index.ts';
import { planOf } from '../topic.ts';

/** Sends messages as the outbox of their publisher would. */
export async function appendToStream<T extends DescMessage>(
  bus: Bus,
  topic: T,
  messages: readonly MessageInitShape<T>[],
): Promise<void> {
  const subject = subjectOf(topic);
  const sender = publisherOf(subject);
  const stream = await bus.driver.openStream(planOf(sender, [topic]));
  const encode = (message: MessageInitShape<T>) => toBinary(topic, create(topic, message));
  await stream.append(
    messages.map((message) => ({ id: `${sender}:${randomUUID()}`, subject, sender, payload: encode(message) })),
  );
}
