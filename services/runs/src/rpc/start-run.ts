import { afterChange, leavingOf } from '@agentmesh/lib/rpc';
import type { Context } from '../context.ts';
import { acceptRun } from '../execution/accept-run.ts';
import { awaitRun, checkAwaited } from '../execution/notices/await-run.ts';
import type { Handlers } from './handlers.ts';

/** Accepts a run without a viewer. The run is durable when this answers, and so is its notice, if one is wanted. */
export function startRun(context: Context): Handlers['startRun'] {
  return async ({ noticeTitle, $typeName: _name, $unknown: _fields, ...content }, call) => {
    const accountId = content.session?.accountId ?? '';
    const isAwaited = noticeTitle !== '' && accountId !== '';
    if (isAwaited) await checkAwaited(context, accountId);
    const run = await acceptRun(context, content, { left: leavingOf(call) });
    if (isAwaited)
      await afterChange(awaitRun(context, { accountId, invocationId: run.invocationId, title: noticeTitle }));
    return run;
  };
}
