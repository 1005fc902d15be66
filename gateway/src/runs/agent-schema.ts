import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { faults } from '../edge/records/problem.ts';

const AgentSchema = Type.Object({}, { title: 'AgentSchema', description: 'A JSON Schema, draft 7.' });

/** The schema of agents' files. Editors fetch it without credentials. */
export function agentSchemaRoutes(app: App, { runs }: Context): void {
  let known: Uint8Array | undefined;
  app.get(
    '/schemas/agent.json',
    {
      schema: {
        tags: ['apps'],
        operationId: 'getAgentSchema',
        summary: 'Get the schema of agent files',
        description:
          'The JSON Schema of `root_agent.yaml` and of the files of sub-agents, for editors. It needs no credentials.',
        response: { 200: AgentSchema, ...faults },
      },
    },
    async (_request, reply) => {
      known ??= (await runs.getAgentSchema({}, unary)).json;
      return sendJson(reply, known);
    },
  );
}
