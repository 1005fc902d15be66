import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import type { Transaction } from '../pg/index.ts';
import { encodeMessage } from '../rpc/index.ts';
import { currentTrace } from './current-trace.ts';
import { checkPayload } from './driver/index.ts';
import { messageSpan, subjectOf } from './names/index.ts';
import { endWith, startProducerSpan } from '../telemetry/index.ts';

const INSERT = {
  name: 'insert-outbox',
  text: 'insert into outbox(subject, traceparent, payload) select $1::text, $2::text, * from unnest($3::bytea[])',
};

/**
 * Writes facts that other services must act on to the outbox of the service's schema, in the transaction that makes them true.
 * Wake the relay after the transaction has committed:
 *
 *     await writeOutbox(tx, AccountDeletedSchema, [{ accountId }]);
 *
 * The service's migrations create the table:
 *
 *     create table outbox(
 *       id bigint generated always as identity primary key,
 *       subject text not null,
 *       payload bytea not null,
 *       traceparent text,
 *       created_at timestamptz not null default now()
 *     );
 *
 * Throws `invalid_argument` (reason `bus_payload_too_large`) for a message of more than 256 KiB: the bus would refuse it.
 */
export async function writeOutbox<T extends DescMessage>(
  tx: Transaction,
  topic: T,
  messages: readonly MessageInitShape<T>[],
): Promise<void> {
  const subject = subjectOf(topic);
  const payloads = messages.map((message) => encodeMessage(topic, message));
  for (const payload of payloads) checkPayload(subject, payload);
  const span = startProducerSpan(messageSpan('send', subject));
  const stored = tx.query(INSERT, [subject, span?.traceparent ?? currentTrace() ?? null, payloads]);
  await (span === undefined ? stored : endWith(span, stored));
}
