import { orderedUuid } from '@agentmesh/lib/pg';
import { isKeyUsed, keyedRequest, once } from '@agentmesh/lib/idempotency';
import { afterChange, checkAccountId, leavingOf } from '@agentmesh/lib/rpc';
import { AgentsService, type StartAgentRunRequest } from '@agentmesh/proto/runs/v1/agents';
import { Multitask, type SessionKey, SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { agentAppName } from '../../apps/agents/agent-id.ts';
import type { Context } from '../../context.ts';
import { storeRun, withPermit } from '../../execution/accept-run.ts';
import { awaitRun, checkAwaited } from '../../execution/notices/await-run.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

const nothing = new Uint8Array(0);

/**
 * Starts a run of an agent in a new session. The session and the run are stored together by another service, so a call with an idempotency key first
 * stores the id of the session: the key of the run is made of it, and a repeated call gets the same run.
 */
export function startAgentRun(context: Context): Handlers['startAgentRun'] {
  const name = once(context, AgentsService.method.startAgentRun, () => nameSession);
  return async (request, call) => {
    const accountId = checkAccountId(request.accountId);
    const { agentId, userId } = request;
    const agent = await findAgent(context, { accountId, agentId });
    const keyed = keyedRequest(accountId, call.requestHeader);
    // A repeated call starts nothing: it is answered like the first one, whose run may have filled the account.
    if (keyed === undefined || !(await isKeyUsed(context.db, keyed))) await checkAwaited(context, accountId);
    const { sessionId = '' } = await name(request, call);
    const appName = agentAppName(agentId);
    const session = create(SessionKeySchema, { accountId, appName, userId, sessionId });
    const run = toRun(session, request, keyed !== undefined);
    const left = leavingOf(call);
    const { invocationId, already } = await withPermit(context, { accountId, left }, (place) =>
      storeRun(context, run, { ...place, left }),
    );
    await afterChange(awaitRun(context, { accountId, appName, userId, sessionId, invocationId, title: agent.name }));
    return { invocationId, sessionId, already };
  };
}

async function nameSession() {
  return { sessionId: orderedUuid() };
}

function toRun(session: SessionKey, { messageJson, isBound }: StartAgentRunRequest, isKeyed: boolean) {
  const empty = { stateDeltaJson: nothing, customMetadataJson: nothing, invocationId: '' };
  const idempotencyKey = isKeyed ? `agent:${session.sessionId}` : '';
  return {
    session,
    messageJson,
    isBound,
    ...empty,
    idempotencyKey,
    streaming: false,
    multitask: Multitask.UNSPECIFIED,
    createsSession: true,
  };
}
