import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Agent as AgentMessage } from '@agentmesh/proto/runs/v1/agents';
import { type App, type Context, unary } from '../context.ts';
import type { Identity } from '../edge/authentication/identity.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { encodeJson } from '../edge/json/json-bytes.ts';
import { pageHeaders, PageQuery } from '../edge/paging/page-query.ts';
import { addNextPage, numberBefore, pageOf } from '../edge/paging/page.ts';
import { admittedRevisions, entityTag } from '../edge/records/entity-tag.ts';
import { agentJson, agentMissing, owner } from './agent-json.ts';
import { agentIdOf } from './agent-path.ts';
import { Agent, AgentPath, AgentRequest, IfMatch, Message, NewAgent, versionHeader } from './agent-record.ts';
import { refuseFaults } from './refuse-faults.ts';
import { reads, writes } from './agent-family.ts';

const all = '/api/agents';
const one = `${all}/:agent_id`;
const { limit, cursor } = PageQuery.properties;
const AgentsQuery = Type.Object({ limit, cursor }, { title: 'Agents' });

/** Create, list, read, replace and delete agents. */
export function agentRoutes(app: App, context: Context): void {
  addCreation(app, context);
  addReads(app, context);
  addReplacement(app, context);
  addDeletion(app, context);
  addReload(app, context);
}

function addCreation(app: App, { agents, authentication }: Context): void {
  app.post(
    all,
    writes(authentication, {
      operationId: 'createAgent',
      summary: 'Create an agent',
      description: 'Its app is `agent<N>`, which only this account sees. The name must be free in the account.',
      headers: IdempotencyKey,
      body: AgentRequest,
      response: { 200: { ...NewAgent, headers: versionHeader } },
      refusals: [409],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const { accountId } = identity;
      const created = await agents.createAgent({ accountId, fieldsJson: encodeJson(body) }, keyedCall(request, reply));
      refuseFaults(created.faults);
      markReplayed(reply, created);
      return newAgent(created.agent, identity, reply);
    },
  );
}

/** Answers a new agent like the reference. */
export function newAgent(agent: AgentMessage | undefined, identity: Identity, reply: FastifyReply) {
  if (agent === undefined) throw agentMissing();
  const { agent_name, agent_model, agent_description, created_at } = agentJson(agent, identity);
  reply.header('etag', entityTag(String(agent.version)));
  return {
    agent_id: `agent${agent.agentId}`,
    app_name: `agent${agent.agentId}`,
    agent_name,
    agent_model,
    agent_description,
    ...owner(identity),
    created_at,
    message: 'Agent registered successfully.',
  };
}

function addReads(app: App, { agents, authentication }: Context): void {
  app.get(
    all,
    reads(authentication, {
      operationId: 'listAgents',
      summary: 'List agents',
      description:
        'Oldest first: all agents of the account, or `limit` of them. Of very large agents, fewer are answered; then `X-Next-Cursor` tells where the others begin.',
      querystring: AgentsQuery,
      response: { 200: { ...Type.Array(Agent), headers: pageHeaders } },
    }),
    async ({ identity, query }, reply) => {
      const { accountId } = identity;
      const list = ['agents', accountId];
      const page = pageOf(list, query);
      const range = { accountId, afterId: numberBefore(page), limit: query.limit ?? 0 };
      const { agents: found, hasMore } = await agents.listAgents(range, unary);
      const last = found.at(-1);
      if (hasMore && last !== undefined) addNextPage(reply, { list, page, last: [last.agentId] });
      return found.map((agent) => agentJson(agent, identity));
    },
  );
  app.get(
    one,
    reads(authentication, {
      operationId: 'getAgent',
      summary: 'Get an agent',
      description: 'The record of one agent of the account.',
      params: AgentPath,
      response: { 200: { ...Agent, headers: versionHeader } },
      refusals: [404],
    }),
    async ({ identity, params }, reply) => {
      const { agent } = await agents.getAgent({ accountId: identity.accountId, agentId: agentIdOf(params) }, unary);
      return sendAgent(agent, identity, reply);
    },
  );
}

/** Answers the record with its version as entity tag. */
export function sendAgent(agent: AgentMessage | undefined, identity: Identity, reply: FastifyReply) {
  const record = agentJson(agent, identity);
  reply.header('etag', entityTag(String(record.version)));
  return record;
}

function addReplacement(app: App, { agents, authentication }: Context): void {
  app.put(
    one,
    writes(authentication, {
      operationId: 'updateAgent',
      summary: 'Replace an agent',
      description:
        'All fields are replaced; the old ones stay as a version. Every replica uses the new ones within a second.',
      params: AgentPath,
      headers: IfMatch,
      body: AgentRequest,
      response: { 200: { ...Agent, headers: versionHeader } },
      refusals: [404, 409, 412],
    }),
    async ({ identity, params, body, headers }, reply) => {
      const ifMatch = admittedRevisions(headers['if-match']);
      const agentId = agentIdOf(params);
      const asked = { accountId: identity.accountId, agentId, fieldsJson: encodeJson(body), ifMatch };
      const { agent, faults } = await agents.updateAgent(asked, unary);
      refuseFaults(faults);
      return { ...sendAgent(agent, identity, reply), message: 'Agent updated successfully.' };
    },
  );
}

function addDeletion(app: App, { agents, authentication }: Context): void {
  app.delete(
    one,
    writes(authentication, {
      operationId: 'deleteAgent',
      summary: 'Delete an agent',
      description:
        'Deletes it with its versions. Runs that are under way go on to their end; its sessions can no longer be reached. 409 while it is a sub-agent of another.',
      params: AgentPath,
      headers: IfMatch,
      response: { 200: Message },
      refusals: [404, 409, 412],
    }),
    async ({ identity, params, headers }) => {
      const agentId = agentIdOf(params);
      const ifMatch = admittedRevisions(headers['if-match']);
      await agents.deleteAgent({ accountId: identity.accountId, agentId, ifMatch }, unary);
      return { message: `Agent agent${agentId} deleted successfully.` };
    },
  );
}

function addReload(app: App, { agents, authentication }: Context): void {
  app.post(
    `${one}/reload`,
    writes(authentication, {
      operationId: 'reloadAgent',
      summary: 'Reload an agent',
      description: 'Every replica builds it again. A change is used without this too.',
      params: AgentPath,
      headers: IdempotencyKey,
      response: { 204: Type.Null() },
      refusals: [404],
    }),
    async (request, reply) => {
      const agent = { accountId: request.identity.accountId, agentId: agentIdOf(request.params) };
      markReplayed(reply, await agents.reloadAgent(agent, keyedCall(request, reply)));
      return reply.code(204).send(null);
    },
  );
}
