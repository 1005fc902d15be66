import { randomUUID } from 'node:crypto';
import { createAddressPolicy } from '@agentmesh/lib/outbound';
import { MeshError } from '@agentmesh/lib/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkBuiltInTool } from '../entries/built-in-resolver.ts';
import { openTestDatabase, type RunsDatabase } from '../../../test/open-test-database.ts';
import { log } from '../../../test/run-agents.ts';
import { selectAgents } from '../../store/agents.ts';
import type { AgentFields } from './agent-fields.ts';
import type { AgentsContext, WriteAgent } from './agents-context.ts';
import type { SealHeaders } from './header-values.ts';
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

/** The fields of the agents of these tests, besides their names. */
const plain = {
  agent_model: 'openai/gpt-5-mini',
  agent_description: '',
  agent_instruction: '',
  agent_type: 'llm',
} as const;

interface Account {
  readonly writeAgent?: WriteAgent;
  readonly sealHeaders?: SealHeaders;
}

/** Saves agents of one account; those with the number 0 are new. */
function openAccount(
  keys: ReturnType<typeof createKeys>,
  { writeAgent, sealHeaders = () => Promise.reject(new Error('not used')) }: Account = {},
) {
  const context: AgentsContext = {
    config: { maxAgents: 10 },
    db: database.db,
    bus: { publish: () => Promise.resolve() } as unknown as AgentsContext['bus'],
    log,
    agentApps: { find: () => Promise.reject(new Error('not used')), forget: () => undefined },
    checkModel: () => undefined,
    checkTool: (entry) => (entry.name === 'MCPToolset' ? [] : checkBuiltInTool(entry)),
    savedKeys: keys.client,
    sealHeaders,
    apiBases: createAddressPolicy([]),
    ...(writeAgent && { writeAgent }),
  };
  const accountId = randomUUID();
  const saveFields = (agentId: number, fields: Partial<AgentFields>) =>
    saveAgent(context, { accountId, agentId, ifMatch: [], fields: { ...plain, agent_name: 'one', ...fields } });
  const save = (agentId: number, name = 'one') =>
    saveFields(agentId, { agent_name: name, agent_model_params: { model_api_key: 'sk-of-this-write' } });
  const remove = (agentId: number) => removeAgent(context, { accountId, agentId, ifMatch: [] });
  return { accountId, save, saveFields, remove };
}

test('agents of each account are numbered from 1, and no number is used again', async () => {
  for (const { save, remove } of [openAccount(createKeys()), openAccount(createKeys())]) {
    const made = await Promise.all(['a', 'b', 'c'].map((name) => save(0, name)));
    expect(made.map(({ agent_id: id }) => id).toSorted((one, other) => one - other)).toEqual([1, 2, 3]);
    await remove(3);
    expect((await save(0, 'd')).agent_id).toBe(4);
  }
});

test('only the key of the last of several replacements at once stays, and none after the deletion', async () => {
  const keys = createKeys();
  const { save, remove } = openAccount(keys);
  const { agent_id: agentId } = await save(0);
  const written = await Promise.all(Array.from({ length: 8 }, () => save(agentId)));
  const last = written.toSorted((one, other) => other.version - one.version)[0];
  expect([...keys.ids]).toEqual([last?.key_id]);
  await remove(agentId);
  expect(keys.ids.size).toBe(0);
});

test('a write of which nobody knows whether it was stored keeps the key that the agent may have', async () => {
  const keys = createKeys();
  const writeAgent: WriteAgent = async (work) => {
    await database.db.transaction(work);
    throw new MeshError('unavailable', 'outcome_unknown', 'The connection broke behind the commit.');
  };
  const { accountId, save } = openAccount(keys, { writeAgent });
  await expect(save(0)).rejects.toMatchObject({ reason: 'outcome_unknown' });
  const [stored] = await selectAgents(database.db, { accountId });
  expect([...keys.ids]).toEqual([stored?.key_id]);
});

test('a write that was not stored leaves no key behind', async () => {
  const keys = createKeys();
  const { save } = openAccount(keys);
  await expect(save(7)).rejects.toMatchObject({ reason: 'agent_not_found' });
  expect(keys.ids.size).toBe(0);
});

test('an account has as many agents as it may, also of 250 calls at once', async () => {
  const keys = createKeys();
  const { save } = openAccount(keys);
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, (_, number) => save(0, `a${number}`)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  expect(keys.ids.size).toBe(10);
});

const seal: SealHeaders = ({ values }) =>
  Promise.resolve(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `sealed ${value}`])));
const url = 'https://mcp.example/mcp';
const server = (prefix: string, tenant: string) => ({ url, tool_name_prefix: prefix, headers: { 'X-Tenant': tenant } });
const kept = '__unchanged__';
const tenantsOf = ({ fields }: { readonly fields: string }) =>
  (JSON.parse(fields) as AgentFields).mcp_servers?.map(({ headers }) => headers?.['X-Tenant']);

test('servers of one address keep their own headers, in any order, and none gets those of another', async () => {
  const { saveFields } = openAccount(createKeys(), { sealHeaders: seal });
  const { agent_id: agentId } = await saveFields(0, { mcp_servers: [server('a', 'A'), server('b', 'B')] });
  const put = (...servers: ReturnType<typeof server>[]) => saveFields(agentId, { mcp_servers: servers });
  expect(tenantsOf(await put(server('a', kept), server('b', kept)))).toEqual(['sealed A', 'sealed B']);
  expect(tenantsOf(await put(server('b', kept), server('a', kept)))).toEqual(['sealed B', 'sealed A']);
  expect(tenantsOf(await put(server('new', kept), server('a', kept)))).toEqual(['sealed B', 'sealed A']);
  await put(server('a', 'A'), server('b', 'B'));
  const faults = [0, 1].map((at) => ({ path: ['mcp_servers', String(at), 'headers', 'X-Tenant'] }));
  await expect(put(server('one', kept), server('two', kept))).rejects.toMatchObject({ faults });
  await put(server('a', kept));
  expect(tenantsOf(await put(server('one', kept), server('two', kept)))).toEqual(['sealed A', 'sealed A']);
});

test('of servers that differ in their headers alone each keeps its own by its place, and none does when one was deleted or added', async () => {
  const { saveFields } = openAccount(createKeys(), { sealHeaders: seal });
  const { agent_id: agentId } = await saveFields(0, { mcp_servers: [server('a', 'A'), server('a', 'B')] });
  const put = (...servers: ReturnType<typeof server>[]) => saveFields(agentId, { mcp_servers: servers });
  expect(tenantsOf(await put(server('a', kept), server('a', kept)))).toEqual(['sealed A', 'sealed B']);
  const faultsAt = (...places: number[]) => ({
    faults: places.map((at) => ({ path: ['mcp_servers', String(at), 'headers', 'X-Tenant'] })),
  });
  await expect(put(server('a', kept))).rejects.toMatchObject(faultsAt(0));
  await expect(put(server('a', 'C'), server('a', kept), server('a', kept))).rejects.toMatchObject(faultsAt(1, 2));
  expect(tenantsOf(await put(server('a', 'C'), server('a', kept)))).toEqual(['sealed C', 'sealed B']);
});

test('a write that keeps the value of a header which another one has replaced meanwhile is refused', async () => {
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const sealHeaders: SealHeaders = async (headers) => {
    const once = meanwhile;
    meanwhile = () => Promise.resolve();
    await once();
    return seal(headers);
  };
  const { saveFields } = openAccount(createKeys(), { sealHeaders });
  const { agent_id: agentId } = await saveFields(0, { mcp_servers: [server('a', 'old')] });
  const put = (a: string, b: string) => saveFields(agentId, { mcp_servers: [server('a', a), server('b', b)] });
  meanwhile = () => put('new', 'B');
  await expect(put(kept, 'other')).rejects.toMatchObject({ reason: 'agent_changed' });
  meanwhile = () => put(kept, 'B');
  expect(tenantsOf(await put(kept, 'other'))).toEqual(['sealed new', 'sealed other']);
});

test('a write that keeps a saved key which another one has replaced meanwhile is refused', async () => {
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  const keys = createKeys();
  const getKey = async ({ keyId: id }: { keyId: bigint }) => {
    const once = meanwhile;
    meanwhile = () => Promise.resolve();
    await once();
    return { key: { id, provider: 'openai', modelApiBase: '' } };
  };
  const client = { ...keys.client, getKey } as unknown as AgentsContext['savedKeys'];
  const { saveFields } = openAccount({ ...keys, client });
  const put = (agentId: number, key: string) => saveFields(agentId, { agent_model_params: { model_api_key: key } });
  const { agent_id: agentId } = await put(0, 'saved:apikey1');
  meanwhile = () => put(agentId, 'saved:apikey2');
  await expect(put(agentId, kept)).rejects.toMatchObject({ reason: 'agent_changed' });
  meanwhile = () => put(agentId, kept);
  expect((await put(agentId, kept)).fields).toContain('saved:apikey2');
});
