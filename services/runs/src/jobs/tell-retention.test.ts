import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type RunsDatabase } from '../../test/open-test-database.ts';
import type { Context } from '../context.ts';
import { insertAgent, updateAgentRow } from '../store/agents.ts';
import { createTellRetention } from './tell-retention.ts';

let database: RunsDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

test('the sessions service is told what apps say, of agents after each change until it has heard it', async () => {
  const { db } = database;
  const told: unknown[] = [];
  let fails = true;
  const sessions = {
    declareRetention: ({ apps }: { apps: unknown[] }) => {
      if (fails) return Promise.reject(new Error('sessions is down'));
      told.push(...apps);
      return Promise.resolve({});
    },
  };
  const apps = [
    { name: 'silent', settings: {} },
    { name: 'filed', settings: { retention: 30 } },
  ];
  const registry = { list: () => apps };
  const job = createTellRetention({ db, sessions, registry } as unknown as Context);
  const accountId = randomUUID();
  const values = (name: string, fields: object) => ({
    accountId,
    name,
    fields: JSON.stringify(fields),
    subAgents: [],
    keyId: null,
  });
  const [row] = await insertAgent(db, values('a', { retention: 'forever' }));
  await insertAgent(db, values('b', {}));
  await expect(job.run()).rejects.toThrow('sessions is down');
  fails = false;
  await job.run();
  const ofFiles = [{ appName: 'silent' }, { appName: 'filed', kept: { case: 'days', value: 30 } }];
  const agentId = row?.agent_id ?? 0;
  const agent = { accountId, appName: `agent${agentId}`, version: 1 };
  expect(told.splice(0)).toEqual([...ofFiles, { ...agent, kept: { case: 'forever', value: true } }]);
  await updateAgentRow(db, { ...values('a', { retention: 'forever', output_key: 'k' }), agentId });
  await job.run();
  expect(told.splice(0)).toEqual(ofFiles);
  await updateAgentRow(db, { ...values('a', {}), agentId });
  await job.run();
  expect(told.splice(0)).toEqual([...ofFiles, { ...agent, version: 3 }]);
});
