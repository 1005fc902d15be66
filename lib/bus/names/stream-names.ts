import type { DurableName } from '../driver/index.ts';
import { publisherOf } from './subject.ts';

/** Name of the stream that holds the messages of a publishing service. */
export function streamOf(service: string): string {
  return `agentmesh-${service}`;
}

/** The last word of a subject: `account_deleted`. */
function topicOf(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Names and subjects of one durable consumer. */
export function namesOf({ subject, durable }: DurableName) {
  const publisher = publisherOf(subject);
  const topic = topicOf(subject);
  return {
    stream: streamOf(publisher),
    /** Consumer that gets the messages. */
    consumer: `${durable}-${topic}`,
    /** Consumer that keeps the dead letters until they are replayed. */
    deadConsumer: `${durable}-${topic}-dead`,
    /** Subject of dead letters. */
    dead: `agentmesh.${publisher}.dead.${durable}.${topic}`,
    /** Subject of dead letters that are delivered again. */
    again: `agentmesh.${publisher}.again.${durable}.${topic}`,
  };
}
