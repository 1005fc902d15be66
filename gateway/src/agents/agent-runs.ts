import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { encodeJson } from '../edge/json/json-bytes.ts';
import { maybe, storedId, storedText, strict } from '../edge/records/keywords.ts';
import { agentIdOf, anyAgentIdOf } from './agent-path.ts';
import { AgentPath } from './agent-record.ts';
import { reads } from './agent-family.ts';

const starts = routeFamily({ tag: 'agents', caller: 'account', scope: 'runs:write' });

const defaultMessage = 'Start your task.';
const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const AgentStatus = Type.Object(
  {
    status: Type.String({ description: '`running` while a run waits or runs, on any replica; else `stopped`.' }),
    agent_id: Type.Integer(),
    active_runs: Type.Integer(),
    last_run_at: nullableText('When the last run was accepted.'),
    last_run_status: nullableText(
      '`queued`, `running`, `waiting` for an answer, `completed`, `failed`, `cancelled`, `interrupted`.',
    ),
    last_error: nullableText('Why the last run failed; null when it did not fail.'),
  },
  { title: 'AgentStatus' },
);

const StartAgentRun = Type.Object(
  {
    message: maybe(storedText()),
    user_id: maybe(
      storedId({ minLength: 1, description: 'User of the new session; the address of the account by default.' }),
    ),
  },
  { title: 'StartAgentRunRequest', ...strict, examples: [{ message: 'Hello, mesh' }] },
);

const StartedRun = Type.Object(
  {
    message: Type.String(),
    agent_id: Type.Integer(),
    invocation_id: Type.String(),
    app_name: Type.String(),
    user_id: Type.String(),
    session_id: Type.String(),
  },
  { title: 'StartedAgentRun' },
);

/** The status of an agent, and runs in the background. */
export function agentRunRoutes(app: App, context: Context): void {
  addStatus(app, context);
  addStart(app, context);
}

function addStatus(app: App, { agents, authentication }: Context): void {
  app.get(
    '/api/agents/:agent_id/status',
    reads(authentication, {
      operationId: 'getAgentStatus',
      summary: 'Get the run status of an agent',
      description: 'Counts all runs of its app: chats, runs in the background and those that mail started.',
      params: AgentPath,
      response: { 200: AgentStatus },
      refusals: [404],
    }),
    async ({ identity, params }) => {
      const agentId = anyAgentIdOf(params);
      const asked = { accountId: identity.accountId, agentId };
      const { activeRuns, lastRun } = await agents.getAgentStatus(asked, unary);
      return {
        status: activeRuns > 0 ? 'running' : 'stopped',
        agent_id: agentId,
        active_runs: activeRuns,
        ...lastRunJson(lastRun),
      };
    },
  );
}

function lastRunJson(run: LedgerRun | undefined) {
  if (run === undefined) return { last_run_at: null, last_run_status: null, last_error: null };
  const hasFailed = run.status === RunStatus.FAILED;
  return {
    last_run_at: new Date(run.createTime * 1000).toISOString(),
    last_run_status: RunStatus[run.status].toLowerCase(),
    last_error: hasFailed ? run.errorMessage || run.errorCode || 'The run failed.' : null,
  };
}

function addStart(app: App, { agents, authentication, arriving }: Context): void {
  app.post(
    '/api/agents/:agent_id/run',
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...starts(authentication, {
        operationId: 'startAgentRun',
        summary: 'Run an agent in the background',
        description:
          'Accepts the run in a session of its own and answers at once. The body may be left out. A notification tells when the run has ended.',
        params: AgentPath,
        headers: IdempotencyKey,
        body: Type.Union([StartAgentRun, Type.Null()], { examples: [{ message: 'Hello, mesh' }] }),
        response: { 202: StartedRun },
        refusals: [404],
      }),
    },
    async (request, reply) => {
      const { identity, params, body } = request;
      const agentId = agentIdOf(params);
      const userId = body?.user_id ?? identity.email;
      const message = { role: 'user', parts: [{ text: body?.message || defaultMessage }] };
      const asked = { accountId: identity.accountId, agentId, userId, messageJson: encodeJson(message) };
      const isBound = identity.grant?.userId !== undefined;
      const started = await agents.startAgentRun({ ...asked, isBound }, keyedCall(request, reply));
      const { invocationId, sessionId } = started;
      markReplayed(reply, started);
      arriving.leave(request);
      reply.code(202).header('x-invocation-id', invocationId);
      return {
        message: `Agent agent${agentId} started.`,
        agent_id: agentId,
        invocation_id: invocationId,
        app_name: `agent${agentId}`,
        user_id: userId,
        session_id: sessionId,
      };
    },
  );
}
