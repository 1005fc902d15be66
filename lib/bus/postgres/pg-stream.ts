import pg from 'pg';
import { busUnavailable, checkPayload, type Stream, type StreamMessage, type StreamPlan } from '../driver/index.ts';
import { channelOf, encodeNotification } from './pg-notification.ts';

const ADD_DURABLES = {
  name: 'add-durables',
  text: `insert into bus.durables (subject, durable) select * from unnest($1::text[], $2::text[]) on conflict do nothing`,
};

// Each message locks its subject: see the trigger number_message. All appends lock in the order of the subjects, so that none waits for another in a circle.
const APPEND = {
  name: 'append-messages',
  text: `with stored as (
      insert into bus.messages (subject, id, sender, traceparent, payload)
      select subject, id, sender, traceparent, payload
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[]) with ordinality
          as m(subject, id, sender, traceparent, payload, place)
      order by subject, place
      returning 1
    )
    select pg_notify(channel, text) from unnest($6::text[], $7::text[]) as hint(channel, text),
      (select count(*) from stored) s`,
};

/** A stream in the tables of the bus. */
export class PgStream implements Stream {
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  static async open(pool: pg.Pool, { topics }: StreamPlan): Promise<PgStream> {
    const pairs = topics.flatMap(({ subject, durables }) => durables.map((durable) => [subject, durable] as const));
    await execute(pool, ADD_DURABLES, [pairs.map(([subject]) => subject), pairs.map(([, durable]) => durable)]);
    return new PgStream(pool);
  }

  async append(messages: readonly StreamMessage[]): Promise<void> {
    for (const { subject, payload } of messages) checkPayload(subject, payload);
    const hints = messages.flatMap((message) =>
      encodeNotification(message.id, message.payload, message).map((text) => [channelOf(message.subject), text]),
    );
    await execute(this.#pool, APPEND, [
      messages.map(({ subject }) => subject),
      messages.map(({ id }) => id),
      messages.map(({ sender }) => sender),
      messages.map(({ traceparent }) => traceparent ?? null),
      messages.map(({ payload }) => Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)),
      hints.map(([channel]) => channel),
      hints.map(([, text]) => text),
    ]);
  }
}

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const NO_RIGHT = '42501';

/** Throws `unavailable` when the statement failed. */
export async function execute<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  statement: Prepared,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ ...statement, values: [...values] })).rows;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NO_RIGHT) throw busUnavailable(error);
    const message = 'The login lacks rights on the schema bus: run `npm start -- migrate`.';
    throw busUnavailable(error, message);
  }
}
