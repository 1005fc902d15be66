import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { NumberedSession, RunOfSession } from '../../session-key.ts';
import { isOfSession } from '../key-condition.ts';

interface Named extends NumberedSession {
  readonly id: string;
}

const findFirst = createQuery<Named, { seq: number }>({
  name: 'find-first-event-of-invocation',
  text: (param) =>
    `select seq from events where ${isOfSession(param)} and invocation_id = ${param.id} order by seq limit 1`,
});

const findLast = createQuery<Named, { seq: number }>({
  name: 'find-last-event-of-invocation',
  text: (param) =>
    `select seq from events where ${isOfSession(param)} and invocation_id = ${param.id} order by seq desc limit 1`,
});

const findEvent = createQuery<Named, { seq: number }>({
  name: 'find-event',
  text: (param) => `select seq from events where ${isOfSession(param)} and event_id = ${param.id} order by seq limit 1`,
});

const findFirstBehind = createQuery<RunOfSession & { after: number }, { seq: number }>({
  name: 'find-first-event-behind',
  text: (param) => `select seq from events
    where ${isOfSession(param)} and seq > ${param.after} and invocation_id = ${param.invocationId} order by seq limit 1`,
});

/** Sequence of the first event of an invocation behind another sequence; undefined when there is none. */
export async function selectFirstBehind(
  db: Queryable,
  place: RunOfSession & { readonly after: number },
): Promise<number | undefined> {
  const [row] = await findFirstBehind(db, place);
  return row?.seq;
}

/** Where a session's event is: the first or the last one of an invocation, or the one with an id. Undefined when there is none. */
export async function selectPlace(
  db: Queryable,
  which: 'first of invocation' | 'last of invocation' | 'event',
  named: Named,
): Promise<number | undefined> {
  const query = { 'first of invocation': findFirst, 'last of invocation': findLast, event: findEvent }[which];
  const [row] = await query(db, named);
  return row?.seq;
}
