import { toBinary } from '@bufbuild/protobuf';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { type RunWait, RunWaitSchema } from '@agentmesh/proto/auth/v1';
import { enqueueAnswerLink, sendAnswerLink as task } from '../../answer-links/send-answer-link.ts';
import type { Context } from '../../context.ts';
import { runWaitInvalid } from '../../errors.ts';
import type { Handlers } from '../handlers.ts';

const mostBytes = 64 * 1024;

/** Queues the mail about a run that waits. */
export function sendAnswerLink({ db, jobs }: Context): Handlers['sendAnswerLink'] {
  return async (request) => {
    const accountId = checkAccountId(request.accountId);
    const { wait } = request;
    if (wait === undefined || !isStorable(wait)) throw runWaitInvalid();
    await enqueueAnswerLink(db, jobs, { accountId, wait });
    jobs.wake(task);
    return {};
  };
}

function isStorable(wait: RunWait): boolean {
  const { appName, userId, sessionId, invocationId, calls } = wait;
  const texts = [appName, userId, sessionId, invocationId, ...calls.flatMap(({ id, tool }) => [id, tool])];
  if (calls.length === 0 || texts.some((text) => text.includes('\0') || !text.isWellFormed())) return false;
  return toBinary(RunWaitSchema, wait).length <= mostBytes;
}
