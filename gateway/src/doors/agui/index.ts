import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { AppPath } from '../../edge/records/path.ts';
import { endUserOf } from '../road/end-user.ts';
import { beginRun } from './begin-run.ts';
import { RunAgentInput } from './run-input.ts';
import { showRun } from './show-run.ts';

const startsRuns = routeFamily({
  tag: 'doors',
  caller: 'account',
  scope: 'runs:write',
  limitsToUser: true,
  refusals: [403, 404, 409],
});

const Headers = Type.Object({
  ...IdempotencyKey.properties,
  'x-on-disconnect': Type.Optional(Type.Enum(['continue', 'cancel'])),
});

/** AG-UI: each app is an agent for pages. */
export function addAgui(app: App, context: Context): void {
  const { authentication, arriving } = context;
  app.post(
    '/agui/:app_name',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...startsRuns(authentication, { hide: true, params: AppPath, headers: Headers, body: RunAgentInput }),
    },
    async (request, reply) => {
      const { identity, params, body, headers } = request;
      const { threadId, runId, parentRunId } = body;
      const userId = endUserOf(identity, body.forwardedProps?.user);
      const session = { accountId: identity.accountId, appName: params.app_name, userId, sessionId: threadId };
      const begun = await beginRun(context, { request, reply }, session);
      forgetBody(request);
      const names = { threadId, runId, ...(parentRunId && { parentRunId }) };
      const cancels = headers['x-on-disconnect'] === 'cancel';
      await showRun(context, { request, reply }, { begun, names, cancels });
    },
  );
}
