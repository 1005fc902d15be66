import { MeshError } from '@agentmesh/lib/rpc';
import { type RunPlace, RunStatus } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { leavableCall } from '../../edge/idempotency/keyed-call.ts';
import { SessionPath } from '../../edge/records/path.ts';
import { sessionKeyOf } from '../../edge/records/session-key.ts';

const cancels = routeFamily({ tag: 'runs', caller: 'runtime', scope: 'runs:write', yieldsMethods: true });

const CancelledSession = Type.Object(
  { status: Type.Literal('cancelled'), session_id: Type.String() },
  { title: 'CancelledSession' },
);

const unfinished = [RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING];

/** Cancels the unfinished runs of a session, at the address that ADK gives this. */
export function sessionCancelRoute(app: App, { sessions, authentication }: Context): void {
  app.post(
    '/apps/:app_name/users/:user_id/sessions/:session_id(^.+)::cancel',
    cancels(authentication, {
      operationId: 'cancelSession',
      summary: 'Cancel what runs in a session',
      description:
        'Cancels the runs of the session that are queued, running or waiting, each as `POST /runs/{id}/cancel` does. 404 when there is none.',
      params: SessionPath,
      response: { 200: CancelledSession },
      refusals: [404],
    }),
    async (request, reply) => {
      const session = sessionKeyOf(request);
      const ids = await unfinishedRuns(sessions, session);
      if (ids.length === 0) throw nothingRuns();
      for (const invocationId of ids) {
        await sessions.cancelRun({ ...session, invocationId }, leavableCall(reply));
      }
      return { status: 'cancelled' as const, session_id: session.sessionId };
    },
  );
}

/** Newest first, so that no queued run begins when the running one ends. All are read before the first is cancelled: they are listed in pages. */
async function unfinishedRuns(
  sessions: Context['sessions'],
  session: ReturnType<typeof sessionKeyOf>,
): Promise<string[]> {
  const ids: string[] = [];
  let after: RunPlace | undefined;
  do {
    const page = await sessions.listRuns({ ...session, statuses: unfinished, ...(after && { after }) }, unary);
    ids.push(...page.runs.map(({ invocationId }) => invocationId));
    after = page.last;
  } while (after !== undefined);
  return ids;
}

function nothingRuns(): MeshError {
  return new MeshError('not_found', 'session_idle', 'No run of the session is queued, running or waiting.');
}
