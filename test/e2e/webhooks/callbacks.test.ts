import { expect, inject, test } from 'vitest';

const url = inject('meshUrl');
const graph = `${url}/api/webhooks/outlook/notifications`;
const gmail = `${url}/api/webhooks/gmail/notifications`;
const post = (address: string, body: string | Uint8Array<ArrayBuffer> = '', headers: Record<string, string> = {}) =>
  fetch(address, { method: 'POST', body, headers });

test.each([graph, `${graph}/token`])('the handshake at %s is echoed as text, whatever the body is', async (address) => {
  for (const token of ['Validation: +<script>&%', 'ü', '']) {
    const answer = await post(`${address}?validationToken=${encodeURIComponent(token)}`, '{bad', {
      'content-type': 'text/plain',
    });
    expect([answer.status, await answer.text()]).toEqual([200, token]);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
  expect((await post(`${address}?validationToken=${'x'.repeat(5_000)}`)).status).toBe(400);
  expect(await (await post(`${address}?validationToken=first&validationToken=second`)).text()).toBe('first');
});

test.each(['', '{', 'null', '[]', '{"value":[{}]}', '\0', '{"value":[{"subscriptionId":"x","clientState":"y"}]}'])(
  'Microsoft gets 202 for the text %j',
  async (body) => {
    for (const type of ['application/json', 'text/plain', 'application/octet-stream', 'nonsense']) {
      const answer = await post(`${graph}/unknown`, body, { 'content-type': type });
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
    expect((await post(graph, body)).status).toBe(202);
  },
);

test('a body of more than a megabyte is no notification, and Microsoft does not send it again', async () => {
  expect((await post(graph, new Uint8Array(2_000_000))).status).toBe(202);
  expect((await post(gmail, new Uint8Array(2_000_000))).status).toBe(401);
});

test('Gmail is refused without a token, and while no service account is configured', async () => {
  expect((await post(gmail, '{}')).status).toBe(401);
  expect((await post(gmail, '{}', { authorization: 'Basic eA==' })).status).toBe(401);
  const refused = await post(gmail, '{}', { authorization: 'Bearer eyJ.x.y' });
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'push_refused']);
});

test('notifications of other providers are answered and ignored', async () => {
  const answer = await post(`${url}/api/webhooks/other/notifications`, '{bad', { 'content-type': 'application/json' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});
