import { describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type Agent, fields, makeAgent } from './make-agent.ts';

const url = inject('meshUrl');

describe('YAML', () => {
  const text = async (caller: Caller, id: number) => (await caller.fetch('GET', `/api/agents/${id}/yaml`)).text();
  const send = (caller: Caller, method: string, path: string, body: string) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${caller.token}`, 'content-type': 'application/yaml' },
      body,
    });
  const recordOf = async (caller: Caller, id: number) => {
    const { body } = await caller.request<Agent>('GET', `/api/agents/${id}`);
    const { agent_id: _id, version: _version, created_at: _at, updated_at: _then, owner_id: _o, ...record } = body;
    return record;
  };

  test('a record is exported and imported without loss', async () => {
    const [from, to] = await Promise.all([newAccount(url), newAccount(url)]);
    const full = {
      ...fields,
      agent_name: 'Mon agent préféré!',
      agent_type: 'base',
      agent_instruction: 'Line one\n  {city?}: "quoted" # not a comment\n',
      agent_model_params: { temperature: 0.2, max_tokens: 50, stop: 'END', custom: { a: [1] } },
      generate_content_config: { top_p: 0.5, thinking_config: { thinking_level: 'LOW' } },
      agent_tools: ['http_get', 'set_state'],
      output_key: 'verse',
      include_contents: 'none',
      disallow_transfer_to_peers: true,
      tags: ['a', { b: 1 }],
      agent_skills: ['rhyme'],
      memory_enabled: false,
      loop_exit_instruction: 'when done',
      output_schema: { type: 'object' },
    };
    const id = await makeAgent(from, full);
    const made = await send(to, 'POST', '/api/agents/yaml', await text(from, id));
    expect(made.status).toBe(200);
    const copy = Number(((await made.json()) as { agent_id: string }).agent_id.slice(5));
    expect(await recordOf(to, copy)).toEqual(await recordOf(from, id));
    expect(await text(to, copy)).toBe(await text(from, id));
    const edited = (await text(from, id))
      .replace('temperature: 0.2', 'temperature: 0.9')
      .replace('name: Mon_agent', 'name: My_agent');
    const replaced = await send(from, 'PUT', `/api/agents/${id}/yaml`, edited);
    expect(await replaced.json()).toMatchObject({
      version: 2,
      generate_content_config: { temperature: 0.9 },
      agent_name: expect.stringMatching(/^My_agent/),
    });
  });

  test('sub-agents are found by the names of their files, and mistakes have line and column', async () => {
    const caller = await newAccount(url);
    const hotels = await makeAgent(caller, { agent_name: 'hotels' });
    const travel = 'name: travel\nmodel: echo/echo\nsub_agents:\n  - config_path: workers/hotels.yaml\n';
    const made = await send(caller, 'POST', '/api/agents/yaml', travel);
    const { agent_id: id } = (await made.json()) as { agent_id: string };
    expect((await recordOf(caller, Number(id.slice(5)))).sub_agents).toEqual([`agent${hotels}`]);
    const bad = await send(caller, 'POST', '/api/agents/yaml', 'name: x\nmodle: echo/echo\n');
    expect(bad.status).toBe(422);
    expect(JSON.stringify(await bad.json())).toContain('2:1: is not a key here');
    for (const body of ['', '[', 'a: &a [*a]', '\0', 'just text']) {
      expect((await send(caller, 'POST', '/api/agents/yaml', body)).status).toBe(422);
    }
    expect((await send(caller, 'POST', '/api/agents/yaml', `# ${'x'.repeat(300_000)}`)).status).toBe(413);
  });

  test('a tool in code is refused with the place where agents can have code', async () => {
    const yaml = 'name: shop\nmodel: echo/echo\ntools:\n  - name: tools.find_order\n';
    const refused = await send(await newAccount(url), 'POST', '/api/agents/yaml', yaml);
    expect(await refused.text()).toContain(
      '4:5: \\"tools.find_order\\" is not allowed. It names code, and only an app in a folder of AGENTS_DIR can have code.',
    );
  });

  test('a check tells what creating or replacing would refuse, and stores nothing', async () => {
    const caller = await newAccount(url);
    const check = (body: string, query = '') => send(caller, 'POST', `/api/agents/yaml/check${query}`, body);
    const poet = 'name: poet\nmodel: echo/echo\n';
    expect((await check(poet)).status).toBe(204);
    expect((await check('name: poet\nmodle: echo/echo\n')).status).toBe(422);
    expect((await check(`# ${'x'.repeat(300_000)}`)).status).toBe(413);
    expect((await caller.request('GET', '/api/agents')).body).toEqual([]);
    const made = (await (await send(caller, 'POST', '/api/agents/yaml', poet)).json()) as { agent_id: string };
    expect((await check(poet)).status).toBe(409);
    expect((await check(`${poet}instruction: Rhyme.\n`, `?agent_id=${made.agent_id}`)).status).toBe(204);
    const itself = `${poet}sub_agents:\n  - config_path: poet.yaml\n`;
    expect((await check(itself, `?agent_id=${made.agent_id}`)).status).toBe(422);
    expect((await check(poet, '?agent_id=999999')).status).toBe(404);
    expect((await (await newAccount(url)).fetch('GET', `/api/agents/${made.agent_id}`)).status).toBe(404);
    expect((await recordOf(caller, Number(made.agent_id.slice(5)))).agent_instruction).toBe('');
  });
});
