import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { IdempotencyKey } from '../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../edge/idempotency/keyed-call.ts';
import { admittedRevisions } from '../edge/records/entity-tag.ts';
import { agentIdOf } from './agent-path.ts';
import { Agent, AgentPath, IfMatch, NewAgent, versionHeader } from './agent-record.ts';
import { newAgent, sendAgent } from './agents.ts';
import { refuseFaults } from './refuse-faults.ts';
import { reads, writes } from './agent-family.ts';

const url = '/api/agents/:agent_id/yaml';
const mediaType = 'application/yaml';
const consumes = [mediaType];
const agentYaml = (name: string) =>
  Type.String({
    // Generators that know no YAML send the text as it is then.
    format: 'binary',
    description: 'Text of a `root_agent.yaml`.',
    examples: [`name: ${name}\nmodel: echo/echo\ninstruction: Answer in verse.\n`],
  });
const CheckedAgent = Type.Object({
  agent_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'The agent that the text would replace: `12` or `agent12`. Absent: a new one.',
    }),
  ),
});
const yaml = { description: 'Text of a `root_agent.yaml`.', content: { [mediaType]: { schema: Type.String() } } };

/** Agents as YAML files, as they stand in `AGENTS_DIR`. */
export function agentYamlRoutes(app: App, context: Context): void {
  addExport(app, context);
  addImport(app, context);
  addReplacement(app, context);
  addCheck(app, context);
}

function addExport(app: App, { agents, authentication }: Context): void {
  app.get(
    url,
    reads(authentication, {
      operationId: 'exportAgent',
      summary: 'Export an agent as YAML',
      description: 'A file that is an app in `AGENTS_DIR` and can be imported again without loss. It holds no key.',
      params: AgentPath,
      response: { 200: yaml },
      refusals: [404],
    }),
    async ({ identity, params }, reply) => {
      const asked = { accountId: identity.accountId, agentId: agentIdOf(params) };
      const { yaml: text } = await agents.exportAgent(asked, unary);
      return reply.type(`${mediaType}; charset=utf-8`).send(text);
    },
  );
}

function addImport(app: App, { agents, authentication }: Context): void {
  app.post(
    '/api/agents/yaml',
    writes(authentication, {
      operationId: 'importAgent',
      summary: 'Create an agent from YAML',
      description:
        'The body is the text of a `root_agent.yaml`. A `config_path` stands for the agent of the account that its file is named after, by id or by name.',
      consumes,
      headers: IdempotencyKey,
      body: agentYaml('poet'),
      response: { 200: { ...NewAgent, headers: versionHeader } },
      refusals: [409],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const imported = await agents.importAgent(
        { accountId: identity.accountId, yaml: body },
        keyedCall(request, reply),
      );
      refuseFaults(imported.faults);
      markReplayed(reply, imported);
      return newAgent(imported.agent, identity, reply);
    },
  );
}

function addReplacement(app: App, { agents, authentication }: Context): void {
  app.put(
    url,
    writes(authentication, {
      operationId: 'replaceAgentWithYaml',
      summary: 'Replace an agent with YAML',
      description: 'Like replacing it with fields. A key that is stored for the agent alone is kept.',
      consumes,
      params: AgentPath,
      headers: IfMatch,
      body: agentYaml('rhymer'),
      response: { 200: { ...Agent, headers: versionHeader } },
      refusals: [404, 409, 412],
    }),
    async ({ identity, params, body, headers }, reply) => {
      const ifMatch = admittedRevisions(headers['if-match']);
      const asked = { accountId: identity.accountId, agentId: agentIdOf(params), yaml: body, ifMatch };
      const { agent, faults } = await agents.importAgent(asked, unary);
      refuseFaults(faults);
      return sendAgent(agent, identity, reply);
    },
  );
}

function addCheck(app: App, { agents, authentication }: Context): void {
  app.post(
    '/api/agents/yaml/check',
    reads(authentication, {
      operationId: 'checkAgentYaml',
      summary: 'Check YAML of an agent',
      description: 'Checks the text as creating or replacing an agent does, for editors, and stores nothing.',
      consumes,
      querystring: CheckedAgent,
      body: agentYaml('bard'),
      response: { 204: { description: 'The text can be used.', type: 'null' } },
      refusals: [404, 409, 429],
    }),
    async ({ identity, query, body }, reply) => {
      const agentId = query.agent_id === undefined ? 0 : agentIdOf({ agent_id: query.agent_id });
      const { faults } = await agents.checkAgentYaml({ accountId: identity.accountId, agentId, yaml: body }, unary);
      refuseFaults(faults);
      return reply.code(204).send(null);
    },
  );
}
