import { randomUUID } from 'node:crypto';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { StartAgentRunRequest } from '@agentmesh/proto/runs/v1/agents';
import { Multitask, type SessionKey, SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { agentAppName } from '../../agents/agent-id.ts';
import type { Context } from '../../context.ts';
import { storeRun, withPermit } from '../../execution/accept-run.ts';
import { awaitRun } from '../../notices/await-run.ts';
import { findAgent } from './find-agent.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 10_000;
const nothing = new Uint8Array(0);

/** Starts a run of an agent in a new session. */
export function startAgentRun(context: Context): Handlers['startAgentRun'] {
  return async ({ agentId, userId, messageJson, ...request }) => {
    const accountId = checkAccountId(request.accountId);
    const { name } = await findAgent(context, { accountId, agentId });
    const session = { accountId, appName: agentAppName(agentId), userId, sessionId: randomUUID() };
    const { invocationId } = await withPermit(context, accountId, async (permit) => {
      await context.sessions.createSession({ session }, { timeoutMs });
      return storeRun(context, toRun(create(SessionKeySchema, session), { messageJson, isBound: request.isBound }), {
        permit,
      });
    });
    await awaitRun(context, { accountId, invocationId, title: name });
    return { invocationId, sessionId: session.sessionId };
  };
}

function toRun(session: SessionKey, content: Pick<StartAgentRunRequest, 'messageJson' | 'isBound'>) {
  const empty = { stateDeltaJson: nothing, customMetadataJson: nothing, invocationId: '', idempotencyKey: '' };
  return { session, ...content, ...empty, streaming: false, multitask: Multitask.UNSPECIFIED };
}
