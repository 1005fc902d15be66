import type { IncomingHttpHeaders } from 'node:http';
import { BadRequest } from '../../edge/errors/request-error.ts';
import { readBase64 } from '../../edge/validation/index.ts';
import type { EventarcTriggerRequest, PubSubMessage, PubSubTriggerRequest } from './trigger-record.ts';

/** A message that runs an agent, in ADK's terms. */
export interface Trigger {
  /** Made of what pushes: the subscription, or the source of the event. */
  readonly userId: string;
  /** JSON with `data` and `attributes`, which the agent gets. */
  readonly text: string;
  /** The delivery: `trigger_delivery` in the session's state. */
  readonly delivery: Delivery;
}

interface Delivery {
  readonly source: 'pubsub' | 'eventarc';
  /** The same in every delivery of one message of `subscription` or `event_source`. */
  readonly id: string | null;
  readonly subscription?: string | null;
  readonly publish_time?: string | null;
  readonly event_source?: string | null;
  readonly type?: string | null;
}

/** Reads a push of Pub/Sub. Throws 400 for data that is no base64 of UTF-8. */
export function readPubSub({ message, subscription = null }: PubSubTriggerRequest): Trigger {
  const { attributes, messageId: id = null, publishTime = null } = message;
  return {
    userId: userIdOf(subscription, 'pubsub-caller'),
    text: textOf(dataOf(message, refuse), attributes),
    delivery: { source: 'pubsub', id, subscription, publish_time: publishTime },
  };
}

/** Reads a CloudEvent in structured or binary mode, also one whose data is a message of Pub/Sub. */
export function readEventarc(event: EventarcTriggerRequest, headers: IncomingHttpHeaders): Trigger {
  const attribute = (name: 'id' | 'type' | 'source' | 'specversion'): string | null =>
    (event[name] || headerOf(headers, name)) ?? null;
  const source = attribute('source');
  const id = attribute('id') ?? event.message?.messageId ?? null;
  return {
    userId: userIdOf(source, 'eventarc-caller'),
    text: eventText(event, attribute),
    delivery: { source: 'eventarc', id, event_source: source, type: attribute('type') },
  };
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[`ce-${name}`];
  return Array.isArray(value) ? value.join(', ') : value;
}

type Attribute = (name: 'id' | 'type' | 'source' | 'specversion') => string | null;

function eventText({ message, data, ...others }: EventarcTriggerRequest, attribute: Attribute): string {
  const wrapped = message ?? (isWrapper(data) ? data.message : undefined);
  if (wrapped !== null && wrapped !== undefined) return textOf(dataOf(wrapped, JSON.stringify), wrapped.attributes);
  return textOf(JSON.stringify(data ?? others), {
    'ce-id': attribute('id'),
    'ce-type': attribute('type'),
    'ce-source': attribute('source'),
    'ce-specversion': attribute('specversion'),
  });
}

interface Wrapper {
  readonly message: Pick<PubSubMessage, 'data' | 'attributes'>;
}

/** True for data of an event that is a message of Pub/Sub. */
function isWrapper(data: unknown): data is Wrapper {
  const { message } = (data ?? {}) as { readonly message?: unknown };
  return typeof message === 'object' && message !== null && 'data' in message;
}

/** The parts are JSON texts, so that numbers keep their digits. */
function textOf(data: string, attributes: object | null | undefined): string {
  return `{"data":${data},"attributes":${JSON.stringify(attributes ?? {})}}`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The data of a message as JSON: itself if it is JSON, else a text. `otherwise` answers for data that is no base64 of UTF-8. */
function dataOf({ data }: Pick<PubSubMessage, 'data'>, otherwise: (data: unknown) => string): string {
  if (data === undefined || data === null || data === '') return 'null';
  const read = typeof data === 'string' ? readBase64(data) : { fault: 'not a text' };
  if ('fault' in read) return otherwise(data);
  let text: string;
  try {
    text = utf8.decode(Buffer.from(read.value, 'base64url'));
  } catch {
    return otherwise(data);
  }
  return isJson(text) ? text.trim() : JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function refuse(): never {
  throw new BadRequest('Invalid base64 message data: not base64 of UTF-8.');
}

/** A user id without slashes, since it stands in paths. */
function userIdOf(name: string | null, otherwise: string): string {
  const bare = (name ?? '').trim().replaceAll(/^\/+|\/+$/g, '');
  return bare === '' ? otherwise : bare.replaceAll('/', '--');
}
