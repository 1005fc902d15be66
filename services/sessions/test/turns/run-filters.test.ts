import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { agentEvent, json, type newKey, parse, startSessionsForFile } from '../sessions.ts';
import { appendTo, completed, driveTurns } from './drive-turns.ts';

const service = startSessionsForFile();
const { newSession, begin } = driveTurns(service);

async function runToEnd(session: ReturnType<typeof newKey>, end: object): Promise<string> {
  const turn = await begin(session, 'hello');
  await service.client.appendEvents(appendTo(turn, [agentEvent(turn.invocationId, 'done')], end));
  return turn.invocationId;
}

test('a list of runs takes the version of the agent and the least cost, together with all other filters', async () => {
  const session = await newSession();
  const { accountId, sessionId } = session;
  const answered = (version: string, cost?: number) =>
    runToEnd(session, { ...completed, agentJson: json({ version }), usageJson: json({ modelCalls: 1, cost }) });
  const [old, cheap, dear] = [await answered('1', 0.5), await answered('2', 0.01), await answered('2', 1.25)];
  await answered('2');
  const list = async (filter: object) =>
    (await service.client.listRuns({ accountId, ...filter })).runs.map((run) => run.invocationId);
  for (const place of [{}, { appName: 'echo' }, { userId: session.userId }, session, { sessionId }]) {
    expect(await list({ ...place, minCost: 0.01 })).toEqual([dear, cheap, old]);
    expect(await list({ ...place, minCost: 0.5 })).toEqual([dear, old]);
    expect(await list({ ...place, minCost: 0.5, agentVersion: '2' })).toEqual([dear]);
    expect(await list({ ...place, minCost: 0.5, statuses: [RunStatus.FAILED] })).toEqual([]);
    expect(await list({ ...place, minCost: 2 })).toEqual([]);
  }
  await expect(list({ minCost: -1 })).rejects.toMatchObject({ reason: 'request_invalid' });
});

test('facts and use of a run that no text of PostgreSQL can hold break no list', async () => {
  const session = await newSession();
  const { accountId, sessionId } = session;
  const odd = 'a\0b\ud800\\u0000';
  const agentJson = json({ version: '3', unavailableTools: [{ name: odd, reason: odd }] });
  const usages = [json({ cost: 'dear', modelCalls: 1 }), json({ [odd]: 1 }), Buffer.from('{"cost":1e999}')];
  const ids = [];
  for (const usageJson of usages) ids.unshift(await runToEnd(session, { ...completed, agentJson, usageJson }));
  const dear = await runToEnd(session, { ...completed, agentJson, usageJson: json({ cost: 2 }) });
  for (const place of [{}, { appName: 'echo' }, { userId: session.userId }, session, { sessionId }]) {
    const { runs } = await service.client.listRuns({ accountId, ...place, agentVersion: '3' });
    expect(runs.map((run) => run.invocationId)).toEqual([dear, ...ids]);
    const { runs: costly } = await service.client.listRuns({ accountId, ...place, minCost: 1 });
    expect(costly.map((run) => run.invocationId)).toEqual([dear]);
  }
  const [run] = (await service.client.listRuns({ accountId, agentVersion: '3' })).runs;
  const text = 'a\ufffdb\ufffd\\u0000';
  expect(parse(run?.agentJson ?? json(null))).toMatchObject({ unavailableTools: [{ name: text, reason: text }] });
});
