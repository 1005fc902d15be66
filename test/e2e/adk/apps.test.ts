import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type AdkApp, type AdkApps, openAdkApps } from './open-adk-apps.ts';

let caller: Caller;
let apps: AdkApps;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  apps = await openAdkApps(caller, 'adk_apps', ['plain', 'tooled', 'forked', 'nested', 'dummy']);
});
afterAll(() => apps[Symbol.asyncDispose]());

interface Tool {
  readonly functionDeclarations?: readonly { readonly name: string }[];
}
interface Info {
  readonly name: string;
  readonly rootAgentName: string;
  readonly description: string;
  readonly language: string;
  readonly agents: Readonly<Record<string, { readonly tools: readonly Tool[] }>>;
}

const infoOf = async (app: AdkApp) => (await caller.request<Info>('GET', `/apps/${apps.name(app)}/app-info`)).body;

/** Names of the tools of each agent. */
async function toolsOf(app: AdkApp): Promise<Record<string, string[]>> {
  const { agents } = await infoOf(app);
  const namesOf = (tools: readonly Tool[]) =>
    tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  return Object.fromEntries(Object.entries(agents).map(([name, { tools }]) => [name, namesOf(tools)]));
}

describe('the apps of ADK’s own test cases', () => {
  test('test_list_apps', async () => {
    const { status, body } = await caller.request<string[]>('GET', '/list-apps');
    expect([status, Array.isArray(body)]).toEqual([200, true]);
  });

  test('test_list_apps_detailed', async () => {
    const { status, body } = await caller.request<{ apps: Record<string, unknown>[] }>('GET', '/list-apps?detailed=1');
    expect(status).toBe(200);
    const one = {
      name: expect.any(String),
      rootAgentName: expect.any(String),
      description: expect.any(String),
      language: expect.stringMatching(/^(yaml|typescript|javascript)$/),
      isComputerUse: false,
    };
    for (const app of body.apps) expect(app).toMatchObject(one);
    expect(body.apps.length).toBeGreaterThan(5);
  });

  test('test_get_adk_app_info_llm_agent', async () => {
    const info = await infoOf('plain');
    expect(info).toMatchObject({
      name: apps.name('plain'),
      rootAgentName: 'plain',
      description: 'About plain',
      language: expect.any(String),
    });
    expect(Object.keys(info.agents)).toEqual(['plain']);
  });

  test('test_get_adk_app_info_llm_agent_with_subagents', async () => {
    expect((await infoOf('forked')).rootAgentName).toBe('forked');
    expect(await toolsOf('forked')).toMatchObject({ forked: [], sub_one: ['tool_one'], sub_two: ['tool_two'] });
  });

  test('test_get_adk_app_info_triple_nested_agents_with_tools', async () => {
    const tools = { first: ['tool_one'], second: ['tool_two'], third: ['tool_three'] };
    expect(await toolsOf('nested')).toEqual(tools);
  });

  test('test_get_adk_app_info_llm_agent_with_function_tool', async () => {
    expect(await toolsOf('tooled')).toEqual({ tooled: ['my_tool'] });
  });

  test('test_get_adk_app_info_non_llm_agent', async () => {
    const answer = await caller.request('GET', `/apps/${apps.name('dummy')}/app-info`);
    expect(answer).toMatchObject({ status: 400, body: { detail: expect.stringContaining('is not an LlmAgent') } });
  });

  test('test_get_adk_app_info_unknown_app_returns_404', async () => {
    const answer = await caller.request('GET', '/apps/unknown_app/app-info');
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining('unknown_app') } });
  });
});

describe('the operations of ADK’s own test cases', () => {
  test('test_health_endpoint', async () => {
    expect(await caller.request('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  test('test_openapi_json_schema_accessible', async () => {
    expect((await caller.request('GET', '/openapi.json')).status).toBe(200);
  });

  test('test_debug_trace', async () => {
    expect((await caller.request('GET', '/dev/apps/echo/debug/trace/nonexistent-event')).status).toBe(404);
  });

  test('test_get_eval_set_result_not_found', async () => {
    expect((await caller.request('GET', '/apps/echo/eval_results/none')).status).toBe(404);
  });

  test('test_telemetry_post_endpoint_missing_header', async () => {
    expect((await caller.request('POST', '/config/telemetry', { telemetry: true })).status).toBe(400);
  });
});
