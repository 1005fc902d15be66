import { afterChange, isMeshError, leavingOf } from '@agentmesh/lib/rpc';
import type { Leaving } from '@agentmesh/lib/wait';
import type { Context } from '../context.ts';
import { type AcceptedRun, acceptRun, type NewRun } from '../execution/accept-run.ts';
import { awaitRun, refusalToAwait } from '../execution/notices/await-run.ts';
import type { Handlers } from './handlers.ts';

type Start = NewRun & { readonly isAwaited: boolean };

/** Accepts a run whose end becomes a notice only if the account has room for that. A repeated request is answered in any case: its own run may have filled the account. */
async function acceptWithRoom(context: Context, { isAwaited, ...run }: Start, left: Leaving): Promise<AcceptedRun> {
  const refusal = isAwaited ? await refusalToAwait(context, run.session?.accountId ?? '') : undefined;
  if (refusal === undefined) return acceptRun(context, run, { left });
  if (run.idempotencyKey === '') throw refusal;
  return acceptRun(context, { ...run, onlyRepeats: true }, { left }).catch((error: unknown) => {
    throw isMeshError(error) && error.reason === 'run_not_found' ? refusal : error;
  });
}

/** Accepts a run without a viewer. The run is durable when this answers, and so is its notice, if one is wanted. */
export function startRun(context: Context): Handlers['startRun'] {
  return async ({ noticeTitle, $typeName: _name, $unknown: _fields, ...content }, call) => {
    const accountId = content.session?.accountId ?? '';
    const isAwaited = noticeTitle !== '' && accountId !== '';
    const run = await acceptWithRoom(context, { ...content, isAwaited }, leavingOf(call));
    if (isAwaited) {
      const { appName = '', userId = '', sessionId = '' } = content.session ?? {};
      const name = { accountId, appName, userId, sessionId: sessionId.trim(), invocationId: run.invocationId };
      await afterChange(awaitRun(context, { ...name, title: noticeTitle }));
    }
    return run;
  };
}
