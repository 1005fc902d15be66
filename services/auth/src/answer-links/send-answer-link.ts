import { type JsonValue, fromJson, toJson } from '@bufbuild/protobuf';
import { uuidOf } from '@agentmesh/lib/idempotency';
import { defineTask, type Jobs } from '@agentmesh/lib/jobs';
import type { Queryable } from '@agentmesh/lib/pg';
import { type RunWait, RunWaitSchema } from '@agentmesh/proto/auth/v1';

/** A mail to an account about a run that waits. The id of the job is the id of the mail. */
export interface AnswerLink {
  readonly accountId: string;
  /** RunWait as JSON. */
  readonly wait: JsonValue;
}

export const sendAnswerLink = defineTask<AnswerLink>({
  name: 'send-answer-link',
  read: (payload) => {
    const { accountId, wait } = payload as Partial<AnswerLink>;
    if (typeof accountId !== 'string' || wait === undefined) throw new TypeError('not an answer link');
    return { accountId, wait };
  },
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600, 7_200],
  mostAttempts: 8,
  timeoutSeconds: 120,
  atOnce: 4,
  pollSeconds: 8,
  personal: true,
});

/** Queues the mail about a wait. A wait has one mail, because its id follows from the wait. */
export async function enqueueAnswerLink(
  db: Queryable,
  jobs: Jobs,
  { accountId, wait }: { readonly accountId: string; readonly wait: RunWait },
): Promise<void> {
  const id = mailIdOf(accountId, wait);
  await jobs.add(db, sendAnswerLink, [{ id, payload: { accountId, wait: toJson(RunWaitSchema, wait) } }]);
}

/** The wait of a job. */
export function waitOf({ wait }: AnswerLink): RunWait {
  return fromJson(RunWaitSchema, wait, { ignoreUnknownFields: true });
}

function mailIdOf(accountId: string, { appName, userId, sessionId, invocationId, attempt }: RunWait): string {
  return uuidOf(accountId, appName, userId, sessionId, invocationId, attempt);
}
