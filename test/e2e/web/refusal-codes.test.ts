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
