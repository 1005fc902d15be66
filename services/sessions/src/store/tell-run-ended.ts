import { subjectOf } from '@agentmesh/lib/bus';
import type { Placeholders } from '@agentmesh/lib/pg';
import { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';

/** The row of the outbox of an awaited run. */
export interface RunEndedFact {
  /** The AwaitedRunEnded message, serialized. */
  readonly fact: Uint8Array;
  /** W3C trace context of the end. */
  readonly trace: string | null;
}

/** SQL that puts AwaitedRunEnded into the outbox, if the run in the CTE `ended` is awaited. */
export const tellRunEnded = (param: Placeholders<RunEndedFact>): string =>
  `insert into outbox (subject, traceparent, payload)
      select '${subjectOf(AwaitedRunEndedSchema)}', ${param.trace}::text, ${param.fact}::bytea from ended where awaited`;
