import { beforeAll, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../../caller.ts';

let caller: Caller;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
});

const new_message = { parts: [{ text: 'x' }] };
const schedule = { cron: '0 9 * * *', app_name: 'echo', user_id: 'u1', new_message };
const key = { key_name: 'k', provider: 'openai', api_key_value: 'sk-1' };
const person = { email: 'a@example.com', password: 'correct horse battery', first_name: 'A', last_name: 'B' };

test.each([
  ['/api/schedules', { ...schedule, cron: 'nonsense' }, 'schedule_cron_invalid'],
  ['/api/schedules', { ...schedule, timezone: 'Mars/Base' }, 'schedule_timezone_invalid'],
  ['/api/schedules', { ...schedule, app_name: 'nope' }, 'app_not_found'],
  ['/api/saved-api-keys', { ...key, model_api_base: 'ftp://x' }, 'model_api_base_refused'],
  ['/api/users/', { ...person, password: 'password' }, 'password_invalid'],
  ['/api/users/', { ...person, email: 'nobody' }, 'request_invalid'],
  ['/api/auth/tokens', { name: 'a\0b', scopes: ['runs:read'] }, 'request_invalid'],
  ['/api/auth/tokens', { name: 'a\nb', scopes: ['runs:read'] }, 'personal_token_invalid'],
  ['/api/auth/device/code', { client_id: ' ' }, 'personal_token_invalid'],
] as const)('the 422 of %s names its reason: %j', async (path, body, code) => {
  const answer = await caller.request('POST', path, body);
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', expect.any(String)] }], code } });
});

test('the 422 of a webhook of a run and of a cursor name their reasons', async () => {
  const session = await caller.createSession();
  const webhook = { url: 'http://example.com/x' };
  const refused = await caller.request('POST', '/runs', runBody(session, 'x', { webhook }));
  expect(refused).toMatchObject({ status: 422, body: { code: 'run_webhook_url_refused' } });
  const paged = await caller.request('GET', '/api/audit?cursor=nonsense');
  expect(paged).toMatchObject({ status: 422, body: { code: 'request_invalid' } });
});

test('the 422 of an agent says by its code what is wrong with it, as fields and as YAML', async () => {
  const good = {
    agent_name: 'a',
    agent_model: 'echo/echo',
    agent_type: 'llm',
    agent_description: '',
    agent_instruction: '',
  };
  const codeOf = async (path: string, body: unknown, type: string) => {
    const headers = { authorization: `Bearer ${caller.token}`, 'content-type': type };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(caller.url + path, { method: 'POST', headers, body: text });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  for (const [change, code] of [
    [{ agent_name: '' }, 'agent_name_invalid'],
    [{ agent_model: 'acme/x' }, 'agent_model_invalid'],
    [{ generate_content_config: { temperature: 'hot' } }, 'agent_model_invalid'],
    [{ agent_type: 'wizard' }, 'agent_type_invalid'],
    [{ agent_tools: ['no_such_tool'] }, 'agent_tools_invalid'],
    [{ sub_agents: ['agent999'] }, 'agent_sub_agents_invalid'],
    [{ multitask: 'sometimes' }, 'agent_invalid'],
  ] as const) {
    expect([change, ...(await codeOf('/api/agents', { ...good, ...change }, 'application/json'))]).toEqual([
      change,
      422,
      code,
    ]);
  }
  for (const [yaml, code] of [
    ['name: a\nmodel: acme/x\n', 'agent_model_invalid'],
    ['name: a\nmodel: echo/echo\ntools: [no_such_tool]\n', 'agent_tools_invalid'],
    ['name: [a\n', 'agent_invalid'],
  ]) {
    for (const path of ['/api/agents/yaml', '/api/agents/yaml/check']) {
      expect([path, yaml, ...(await codeOf(path, yaml, 'application/yaml'))]).toEqual([path, yaml, 422, code]);
    }
  }
});
