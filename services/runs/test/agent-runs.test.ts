import { randomUUID } from 'node:crypto';
import { keyedHeaders } from '@agentmesh/lib/idempotency';
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
    start: (key?: string) =>
      bench.agents.startAgentRun(
        { accountId, agentId, userId: 'u', messageJson },
        key === undefined ? {} : { headers: keyedHeaders({ key, route: 'run', content: [] }) },
      ),
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

test('a keyed start that is repeated is answered like the first one, though its run has filled the account', async () => {
  await using bench = await startService({ env: { ...everyApp, RUNS_ACCOUNT_MAX_AWAITED: '1' } });
  const { start, sessionOf } = await openAgent(bench);
  const full = { reason: 'awaited_runs_too_many' };
  // The runs are not over while their events cannot be stored.
  bench.sessions.before = (call) => {
    if (call === 'appendEvents') throw new MeshError('unavailable', 'database_unavailable', 'away');
  };
  const first = await start('k');
  expect(await start('k')).toMatchObject({ ...first, already: true });
  await expect(start('other')).rejects.toMatchObject(full);
  await expect(start()).rejects.toMatchObject(full);

  const session = sessionOf(first.sessionId);
  const plain = { session, messageJson, noticeTitle: 'Verse' };
  const { invocationId } = await bench.client.startRun({ ...plain, noticeTitle: '', idempotencyKey: 'mine' });
  expect(await bench.client.startRun({ ...plain, idempotencyKey: 'mine' })).toMatchObject({
    invocationId,
    already: true,
  });
  await expect(bench.client.startRun({ ...plain, idempotencyKey: 'new' })).rejects.toMatchObject(full);
  await expect(bench.client.startRun(plain)).rejects.toMatchObject(full);
  expect(bench.sessions.runs(session)).toHaveLength(2);
  delete bench.sessions.before;
});
