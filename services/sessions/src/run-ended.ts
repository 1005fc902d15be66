import { type AttemptEnd_Outcome, RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { create, toBinary } from '@bufbuild/protobuf';

/** The fact that an attempt has ended, as it goes to the outbox. */
export function runEnded(accountId: string, invocationId: string, outcome: AttemptEnd_Outcome): Uint8Array {
  return toBinary(RunEndedSchema, create(RunEndedSchema, { accountId, invocationId, outcome }));
}
