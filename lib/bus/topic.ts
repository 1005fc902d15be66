import {
  confidential,
  consumers,
  former_readers as formerReaders,
  ordered_by as orderedBy,
} from '@agentmesh/proto/mesh/v1/topics';
import { type DescMessage, getOption } from '@bufbuild/protobuf';
import { subjectOf } from './names/index.ts';

/** Names of the durable consumers that a topic declares. */
export function durablesOf(topic: DescMessage): readonly string[] {
  return getOption(topic, consumers);
}

/** Names of the services that read a topic in an earlier release. Those that consumed it have left a durable consumer. */
export function formerReadersOf(topic: DescMessage): readonly string[] {
  return getOption(topic, formerReaders);
}

/** True for a topic whose messages are kept until they are acknowledged. */
export function isKept(topic: DescMessage): boolean {
  return durablesOf(topic).length > 0 || formerReadersOf(topic).length > 0;
}

/** Reading an option of a topic makes a message, which is too much for each hint. */
const confidentialTopics = new WeakMap<DescMessage, boolean>();

/** Whether messages of a topic hold what users and models say. */
export function isConfidential(topic: DescMessage): boolean {
  const known = confidentialTopics.get(topic);
  if (known !== undefined) return known;
  const isSo = getOption(topic, confidential);
  confidentialTopics.set(topic, isSo);
  return isSo;
}

/** Returns the value that keeps the order of a topic's messages. Messages with the same value are handled one after the other. */
export function orderKeyOf(topic: DescMessage): (message: object) => string {
  const field = getOption(topic, orderedBy) || 'account_id';
  const { localName } = topic.field[field] ??
    topic.fields.find(({ name }) => name === field) ?? { localName: undefined };
  if (localName === undefined) throw new Error(`${topic.typeName} has no field ${field}, which keeps its order`);
  return (message) => String((message as Record<string, string | bigint | undefined>)[localName] ?? '');
}

/** The topics of one publishing service, as a stream needs them. Throws when a topic has no consumer: publish a hint instead. */
export function planOf(service: string, topics: readonly DescMessage[]) {
  return {
    service,
    topics: topics.map((topic) => {
      if (isConfidential(topic)) throw new Error(`${topic.typeName} is confidential: only hints are sealed`);
      if (!isKept(topic)) throw new Error(`${topic.typeName} declares no consumers`);
      return { subject: subjectOf(topic), durables: durablesOf(topic), former: formerReadersOf(topic) };
    }),
  };
}
