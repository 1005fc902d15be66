import { randomUUID } from 'node:crypto';
import { createAddressPolicy } from '@agentmesh/lib/outbound';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkBuiltInTool } from '../entries/built-in-resolver.ts';
import { openTestDatabase, type RunsDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import type { AgentsContext } from './agents-context.ts';
import { removeAgent } from './remove-agent.ts';
import { saveAgent } from './save-agent.ts';

let database: RunsDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

/** A keys service that knows only which keys there are. */
function createKeys() {
  const ids = new Set<bigint>();
  let latest = 0n;
  const createKey = () => {
    latest += 1n;
    ids.add(latest);
    return Promise.resolve({ key: { id: latest, modelApiBase: '' } });
  };
  const deleteKey = ({ keyId }: { keyId: bigint }) => Promise.resolve(ids.delete(keyId));
  return { ids, client: { createKey, deleteKey } as unknown as AgentsContext['savedKeys'] };
}

test('only the key of the last of several replacements at once stays, and none after the deletion', async () => {
  const keys = createKeys();
  const context: AgentsContext = {
    config: { maxAgents: 10 },
    db: database.db,
    bus: { publish: () => Promise.resolve() } as unknown as AgentsContext['bus'],
    log,
    agentApps: { find: () => Promise.reject(new Error('not used')), forget: () => undefined },
    checkModel: () => undefined,
    checkTool: checkBuiltInTool,
    savedKeys: keys.client,
    apiBases: createAddressPolicy([]),
  };
  const accountId = randomUUID();
  const save = (agentId: number) =>
    saveAgent(context, {
      accountId,
      agentId,
      ifMatch: [],
      fields: {
        agent_name: 'one',
        agent_model: 'openai/gpt-5-mini',
        agent_description: '',
        agent_instruction: '',
        agent_type: 'llm',
        agent_model_params: { model_api_key: 'sk-of-this-write' },
      },
    });
  const { agent_id: agentId } = await save(0);
  const written = await Promise.all(Array.from({ length: 8 }, () => save(agentId)));
  const last = written.toSorted((one, other) => other.version - one.version)[0];
  expect([...keys.ids]).toEqual([last?.key_id]);
  await removeAgent(context, { accountId, agentId, ifMatch: [] });
  expect(keys.ids.size).toBe(0);
});
