import { LlmAgent, SequentialAgent } from '@google/adk/core';
import { expect, test } from 'vitest';
import { createAgentBench } from '../../../../test/run-agents.ts';
import { calls, says, ScriptLlm } from '../../../../test/script-llm.ts';
import { AnsweringLlm } from '../../building/agents/answering-llm.ts';
import { agentPath } from './agent-path.ts';

test('the path of an agent leads from the root of its app, and a name that no agent has stands alone', () => {
  const inner = new LlmAgent({ name: 'inner', model: new ScriptLlm(says('hi')) });
  const root = new SequentialAgent({
    name: 'root',
    subAgents: [new SequentialAgent({ name: 'mid', subAgents: [inner] })],
  });
  expect(['root', 'inner', 'stranger'].map((name) => agentPath(root, name))).toEqual([
    'root@1',
    'root@1/mid@1/inner@1',
    'stranger@1',
  ]);
});

test('events of an agent that was transferred to have its whole path, in this run and in the next one', async () => {
  const helper = new LlmAgent({ name: 'helper', model: new ScriptLlm(says('hi'), says('again')) });
  const model = new AnsweringLlm(new ScriptLlm(calls('transfer_to_agent', { agent_name: 'helper' })));
  const bench = createAgentBench(new LlmAgent({ name: 'toolbox', model, subAgents: [helper] }));
  const runs = [await bench.run(), await bench.run()];
  const paths = runs.map(({ events }) => events.map((event) => (event['nodeInfo'] as { path: string }).path));
  expect(paths).toEqual([['toolbox@1', 'toolbox@1', 'toolbox@1/helper@1'], ['toolbox@1/helper@1']]);
});
