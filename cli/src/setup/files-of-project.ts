/** Files of a new project, by path: an agent in YAML, one with tools in TypeScript, a test of the tools, a README. */
export function filesOfProject(name: string): Readonly<Record<string, string>> {
  return {
    [`agents/${name}/root_agent.yaml`]: agent(name),
    [`agents/${name}_tools/root_agent.yaml`]: agentWithTools(name),
    [`agents/${name}_tools/tools.ts`]: tools,
    [`agents/${name}_tools/orders.ts`]: orders,
    'test/orders.test.ts': ordersTest(name),
    'README.md': readme(name),
  };
}

const model = `# echo/ repeats what it is told, and needs no key. Name a model of yours, such as openai/gpt-5-mini.
model: echo/default`;

const agent = (name: string): string => `name: ${name}
${model}
description: Answers questions.
instruction: |
  You answer questions in two sentences at most. Ask when a question is not clear.
tools:
  - name: get_current_time
`;

const agentWithTools = (name: string): string => `name: ${name}_tools
${model}
description: Knows the orders of customers.
instruction: |
  You tell customers where their orders are. Ask for the number of the order.
tools:
  - name: tools.find_order
`;

const tools = `import { z } from 'zod';
import { stateOf } from './orders.ts';

/** Finds out where an order is. */
export function find_order({ number }: { number: string }) {
  return { state: stateOf(number) };
}
export const find_orderSchema = z.object({ number: z.string().describe('number of the order, such as A-1') });
`;

const orders = `const states: Record<string, string> = { 'A-1': 'packed', 'A-2': 'on its way' };

export function stateOf(number: string): string {
  return states[number] ?? 'unknown';
}
`;

const ordersTest = (name: string): string => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from '../agents/${name}_tools/orders.ts';

test('an order that nobody has made is unknown', () => assert.equal(stateOf('B-9'), 'unknown'));
`;

const readme = (name: string): string => `# ${name}

\`\`\`sh
npx agentmesh dev                          # starts a mesh with the agents of this folder
npx agentmesh login                        # in another terminal
npx agentmesh chat ${name}
npx node --test test/orders.test.ts        # Node 22.18 or newer
\`\`\`

A changed file is used from the next run on.
`;
