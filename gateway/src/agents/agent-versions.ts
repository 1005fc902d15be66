import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { admittedRevisions } from '../edge/records/entity-tag.ts';
import { fieldsJson, time } from './agent-json.ts';
import { agentIdOf } from './agent-path.ts';
import { Agent, AgentPath, AgentVersion, AgentVersionPath, IfMatch, versionHeader } from './agent-record.ts';
import { sendAgent } from './agents.ts';
import { refuseFaults } from './refuse-faults.ts';
import { reads, writes } from './agent-family.ts';

const url = '/api/agents/:agent_id/versions';

/** The versions of an agent. */
export function agentVersionRoutes(app: App, context: Context): void {
  addList(app, context);
  addRestoration(app, context);
}

function addList(app: App, { agents, authentication }: Context): void {
  app.get(
    url,
    reads(authentication, {
      operationId: 'listAgentVersions',
      summary: 'List the versions of an agent',
      description: 'The latest 100 versions with their fields, newest first.',
      params: AgentPath,
      response: { 200: Type.Array(AgentVersion) },
      refusals: [404],
    }),
    async ({ identity, params }) => {
      const asked = { accountId: identity.accountId, agentId: agentIdOf(params) };
      const { versions } = await agents.listVersions(asked, unary);
      return versions.map(({ version, fieldsJson: json, createdAt }) => {
        return { version, created_at: time(createdAt), agent: fieldsJson(json) };
      });
    },
  );
}

function addRestoration(app: App, { agents, authentication }: Context): void {
  app.post(
    `${url}/:version/restore`,
    writes(authentication, {
      operationId: 'restoreAgentVersion',
      summary: 'Restore a version of an agent',
      description: 'Its fields become those of the agent, as a new version. They are checked again.',
      params: AgentVersionPath,
      headers: Type.Object({ ...IfMatch.properties, ...IdempotencyKey.properties }),
      response: { 200: { ...Agent, headers: versionHeader } },
      refusals: [404, 409, 412],
    }),
    async (request, reply) => {
      const { identity, params, headers } = request;
      const ifMatch = admittedRevisions(headers['if-match']);
      const asked = { accountId: identity.accountId, agentId: agentIdOf(params), version: params.version, ifMatch };
      const restored = await agents.restoreVersion(asked, keyedCall(request, reply));
      refuseFaults(restored.faults);
      markReplayed(reply, restored);
      return sendAgent(restored.agent, identity, reply);
    },
  );
}
