import type { Transaction } from '../pg/index.ts';
import { checkPayload } from './payload-limit.ts';

/** A committed fact that other services must act on, on its way to the bus. */
export interface Fact {
  readonly subject: string;
  readonly payload: Uint8Array;
}

const INSERT = {
  name: 'outbox_insert',
  text: 'insert into outbox(subject, payload) select * from unnest($1::text[], $2::bytea[])',
};

/**
 * Writes facts to the outbox of the service's schema, in the transaction that makes them true; wake the relay after it has committed.
 * The service's migrations hold the table:
 *
 *     create table outbox(
 *       id bigint generated always as identity primary key,
 *       subject text not null,
 *       payload bytea not null,
 *       created_at timestamptz not null default now()
 *     );
 *
 * Throws `invalid_argument` (reason `bus_payload_too_large`) for a payload that the bus would refuse.
 */
export async function writeOutbox(tx: Transaction, facts: readonly Fact[]): Promise<void> {
  for (const { subject, payload } of facts) checkPayload(subject, payload);
  const payloads = facts.map(({ payload }) => Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength));
  await tx.query(INSERT, [facts.map(({ subject }) => subject), payloads]);
}
