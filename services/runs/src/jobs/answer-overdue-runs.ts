import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { answerOverdue } from '../execution/answers/answer-overdue.ts';

/** Goes on with runs whose answer did not come in time. */
export function createAnswerOverdueRuns(context: Context): Job {
  return {
    pauseMs: 10_000,
    failure: 'runs that have waited too long cannot be answered',
    run: () => answerOverdue(context),
  };
}
