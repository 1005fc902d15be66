import { createQuery, type Queryable } from '@agentmesh/lib/pg';
import type { NumberedSession } from '../../session-key.ts';
import { isOfSession } from '../key-condition.ts';
import { pageOfEvents } from './page-of-events.ts';

interface DeltaRange extends NumberedSession {
  /** Events behind this sequence. */
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  /** The event whose JSON reaches this number of bytes is the last. */
  readonly maxBytes: number;
}

/** Events are stored as JSON without blanks, so the text tells whether an event changes anything. */
const changes = ['"stateDelta":{"', '"artifactDelta":{"']
  .map((text) => `strpos(body::text, '${text}') > 0`)
  .join(' or ');

const listDeltas = createQuery<DeltaRange, { seq: number; json: string }>({
  name: 'list-deltas',
  text: (param) => {
    const page = pageOfEvents({
      where: `${isOfSession(param)} and seq > ${param.after} and seq <= ${param.upTo} and (${changes})`,
      order: 'asc',
      limit: param.limit,
      maxBytes: param.maxBytes,
    });
    return `select seq, json from (${page}) e order by seq`;
  },
});

/** A page of the events of a session that may change state or artifacts, in order. */
export function selectDeltas(db: Queryable, range: DeltaRange): Promise<{ seq: number; json: string }[]> {
  return listDeltas(db, range);
}
