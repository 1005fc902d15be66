import { currentTrace } from '@agentmesh/lib/bus';
import { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { RunEndedFact } from '../store/tell-run-ended.ts';

/** The row of the outbox that says that a run's attempt has ended. */
export function runEndedFact(ended: MessageInitShape<typeof RunEndedSchema>): RunEndedFact {
  return { fact: toBinary(RunEndedSchema, create(RunEndedSchema, ended)), trace: currentTrace() ?? null };
}
