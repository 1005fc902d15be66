import { subjectOf } from '@agentmesh/lib/bus';
import type { Placeholders } from '@agentmesh/lib/pg';
import { RunEndedSchema } from '@agentmesh/proto/sessions/v1';

/** A row of the outbox. */
export interface RunEndedFact {
  /** The RunEnded message, serialized. */
  readonly fact: Uint8Array;
  /** W3C trace context of the end. */
  readonly trace: string | null;
}

/** SQL that puts RunEnded into the outbox, if the CTE `moved` has a row. */
export const tellRunEnded = (param: Placeholders<RunEndedFact>): string =>
  `insert into outbox (subject, traceparent, payload)
      select '${subjectOf(RunEndedSchema)}', ${param.trace}::text, ${param.fact}::bytea from moved`;
