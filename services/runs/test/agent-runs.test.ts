import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { expect, test } from 'vitest';
import { everyApp, type ServiceBench, startService } from './start-service.ts';
import { encode } from './stored-session.ts';

const fields = { agent_name: 'poet', agent_model: 'echo/echo', agent_type: 'llm' };
const fieldsJson = encode({ ...fields, agent_description: 'Writes verse.', agent_instruction: 'Answer in verse.' });
const messageJson = encode({ role: 'user', parts: [{ text: 'hello' }] });

async function openAgent(bench: ServiceBench) {
  const accountId = randomUUID();
  const { agent, faults } = await bench.agents.createAgent({ accountId, fieldsJson });
  expect(faults).toEqual([]);
  const { agentId = 0 } = agent ?? {};
  return {
    start: () => bench.agents.startAgentRun({ accountId, agentId, userId: 'u', messageJson }),
    sessionOf: (sessionId: string) => ({ ...bench.key, accountId, appName: `agent${agentId}`, sessionId }),
  };
}

test('a run of an agent and its session are stored by one call, so that a run that is refused leaves no session', async () => {
  await using bench = await startService({ env: everyApp });
  const { start, sessionOf } = await openAgent(bench);
  bench.sessions.before = (call) => {
    if (call === 'beginTurn')
      throw new MeshError('resource_exhausted', 'session_too_large', 'The session is too large.');
  };
  await expect(start()).rejects.toMatchObject({ reason: 'session_too_large' });
  expect(bench.sessions.calls).not.toContain('createSession');

  delete bench.sessions.before;
  const { sessionId, invocationId } = await start();
  expect(bench.sessions.run(sessionOf(sessionId)).invocationId).toBe(invocationId);
});
