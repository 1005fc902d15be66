import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkBuiltInTool } from '../entries/built-in-resolver.ts';
import { openTestDatabase, type RunsDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import { createModels } from '../../models/index.ts';
import { createAddressPolicy, createGuardedFetch } from '@agentmesh/lib/outbound';
import { quietAdk } from '../registry/quiet-adk.ts';
import { type AgentApps, createAgentApps } from './agent-apps.ts';
import type { AgentsContext } from './agents-context.ts';
import { removeAgent } from './remove-agent.ts';
import { saveAgent } from './save-agent.ts';
import { createBuiltInResolver } from '../entries/built-in-resolver.ts';
import { createToolResolvers } from '../entries/tool-resolvers.ts';

const nowhere = { baseUrl: 'http://localhost' };
const models = createModels({ openai: nowhere, anthropic: nowhere, gemini: nowhere, timeoutMs: 1_000 });
const parts = {
  models,
  tools: createToolResolvers([createBuiltInResolver({ fetch: createGuardedFetch({ allow: [] }) })]),
  toolTimeoutMs: 5_000,
  maxModelCalls: 5,
};
const fields = {
  agent_name: 'one',
  agent_model: 'echo/echo',
  agent_description: '',
  agent_instruction: '',
  agent_type: 'llm',
} as const;
const gone = { code: 'not_found', reason: 'app_not_found' };

let database: RunsDatabase;
let writer: AgentsContext;
/** Another replica, which hears of no change. */
let deaf: AgentApps;

quietAdk(log);

beforeAll(async () => {
  database = await openTestDatabase();
  const { db } = database;
  const agentApps = createAgentApps({ db, ...parts });
  deaf = createAgentApps({ db, ...parts });
  const bus = { publish: () => Promise.reject(new Error('the bus is away')) } as unknown as AgentsContext['bus'];
  const savedKeys = {} as AgentsContext['savedKeys'];
  const apiBases = createAddressPolicy([]);
  writer = {
    config: { maxAgents: 10 },
    db,
    bus,
    log,
    agentApps,
    checkModel: () => undefined,
    checkTool: checkBuiltInTool,
    savedKeys,
    sealHeaders: () => Promise.reject(new Error('not used')),
    apiBases,
  };
});
afterAll(() => database[Symbol.asyncDispose]());

test('a replica that gets no hint uses a changed agent within a second, and one that is written to at once', async () => {
  const accountId = randomUUID();
  const save = (agentId: number, name: string, subAgents: string[] = []) =>
    saveAgent(writer, {
      accountId,
      agentId,
      fields: { ...fields, agent_name: name, sub_agents: subAgents },
      ifMatch: [],
    });
  const child = await save(0, 'child');
  const { agent_id: id } = await save(0, 'parent', [`agent${child.agent_id}`]);
  const namesOf = async (apps: AgentApps) => {
    const { root } = await apps.find(accountId, id);
    return [root?.name, ...(root?.subAgents ?? []).map(({ name }) => name)];
  };
  expect(await namesOf(deaf)).toEqual(['parent', 'child']);
  expect(await deaf.find(accountId, id)).toBe(await deaf.find(accountId, id));
  await save(child.agent_id, 'grown');
  expect(await namesOf(writer.agentApps)).toEqual(['parent', 'grown']);
  await vi.waitFor(async () => expect(await namesOf(deaf)).toEqual(['parent', 'grown']), { interval: 20 });
  await removeAgent(writer, { accountId, agentId: id, ifMatch: [] });
  await expect(writer.agentApps.find(accountId, id)).rejects.toMatchObject(gone);
  await vi.waitFor(() => expect(deaf.find(accountId, id)).rejects.toMatchObject(gone), { interval: 20 });
});

test('look-ups share one statement while nothing changes, and a foreign agent is not found', async () => {
  const accountId = randomUUID();
  const row = await saveAgent(writer, { accountId, agentId: 0, fields, ifMatch: [] });
  const query = vi.spyOn(database.db, 'query');
  const found = await Promise.all(Array.from({ length: 50 }, () => deaf.find(accountId, row.agent_id)));
  expect(new Set(found).size).toBe(1);
  expect(query.mock.calls.length).toBeLessThanOrEqual(2);
  query.mockRestore();
  await expect(deaf.find(randomUUID(), row.agent_id)).rejects.toMatchObject(gone);
});

test('an account has RUNS_MAX_AGENTS agents at most, also when many are made at once', async () => {
  const accountId = randomUUID();
  const made = await Promise.allSettled(
    Array.from({ length: 15 }, (_, index) =>
      saveAgent(writer, { accountId, agentId: 0, fields: { ...fields, agent_name: `n${index}` }, ifMatch: [] }),
    ),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  const refusals = made.filter((one) => one.status === 'rejected').map((one) => one.reason as unknown);
  for (const refusal of refusals) expect(refusal).toMatchObject({ reason: 'agents_too_many' });
});
