import { answerRefusedBy } from '@agentmesh/lib/outbound';
import { ModelCallError } from '../../model-call-error.ts';

/** The failure of a call whose answer was given up while it arrived; undefined for other errors. Asking again would bring the same. */
export function refusedAnswer(error: unknown): ModelCallError | undefined {
  const refused = answerRefusedBy(error);
  if (refused === undefined) return undefined;
  return new ModelCallError(codes[refused.fault], refused.message, { cause: error });
}

const codes = { too_large: 'MODEL_ANSWER_TOO_LARGE', no_room: 'RESOURCE_EXHAUSTED' } as const;
