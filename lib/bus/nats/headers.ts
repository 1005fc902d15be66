import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Origin, StreamMessage } from '../driver/index.ts';

/** Header of the message's id. JetStream also drops a message whose id it has seen in the last two minutes. */
const ID = 'Nats-Msg-Id';
/** Header of the id of a dead letter and its replay: in them Nats-Msg-Id differs. */
const ORIGINAL_ID = 'Agentmesh-Id';
const SENDER = 'Agentmesh-Sender';
const TRACE = 'traceparent';
const TYPE = 'Content-Type';
const REASON = 'Agentmesh-Reason';
const PROTOBUF = 'application/protobuf';

/** Headers of every message: sender, trace, and that the payload is protobuf. */
export function headersOf({ sender, traceparent }: Origin): MsgHdrs {
  const made = headers();
  made.set(TYPE, PROTOBUF);
  made.set(SENDER, sender);
  if (traceparent !== undefined) made.set(TRACE, traceparent);
  return made;
}

export function originOf(given: MsgHdrs | undefined): Origin {
  return { sender: given?.get(SENDER) ?? '', traceparent: given?.get(TRACE) || undefined };
}

/** Headers of a dead letter. */
export function deadHeaders(message: StreamMessage, reason: string): MsgHdrs {
  const made = headersOf(message);
  made.set(ORIGINAL_ID, message.id);
  // One line of text: a header must not contain line breaks.
  made.set(REASON, reason.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 500));
  return made;
}

/** The id that the publisher gave the message. */
export function idOf(given: MsgHdrs | undefined): string {
  return given?.get(ORIGINAL_ID) || given?.get(ID) || '';
}
