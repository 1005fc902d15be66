import { randomBytes } from 'node:crypto';
import { verifyWebhook, WebhookVerificationError } from '@agentmesh/client';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';

const secret = `whsec_${randomBytes(24).toString('base64')}`;
const body = JSON.stringify({
  type: 'run.completed',
  timestamp: '2026-01-01T00:00:00Z',
  data: { invocationId: 'e-1' },
});

/** Headers as the server signs them. */
function headersFor(text: string, { time = new Date(), by = secret } = {}): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('msg_1', time, text),
  };
}

describe('a message to a webhook', () => {
  test('is answered when its signature is good, also behind that of an older secret', async () => {
    const headers = headersFor(body);
    expect(await verifyWebhook(body, headers, { secret })).toEqual(JSON.parse(body));
    const other = `v1,${randomBytes(32).toString('base64')}`;
    const both = new Headers({ ...headers, 'webhook-signature': `${other} ${headers['webhook-signature']}` });
    expect(await verifyWebhook(body, both, { secret })).toEqual(JSON.parse(body));
  });

  test('is answered in whatever case the names of its headers are written', async () => {
    const headers = Object.entries(headersFor(body)).map(([name, value]) => [name.toUpperCase(), value] as const);
    expect(await verifyWebhook(body, Object.fromEntries(headers), { secret })).toEqual(JSON.parse(body));
  });

  test('is refused when it was changed, is old, has another secret or lacks a header', async () => {
    const old = new Date(Date.now() - 600_000);
    const { 'webhook-id': _, ...withoutId } = headersFor(body);
    const refused = [
      [`${body} `, headersFor(body)],
      [body, headersFor(body, { time: old })],
      [body, headersFor(body, { by: `whsec_${randomBytes(24).toString('base64')}` })],
      [body, withoutId],
      [body, { ...headersFor(body), 'webhook-signature': 'v1,not base64!' }],
      [body, { ...headersFor(body), 'webhook-timestamp': 'soon' }],
    ] as const;
    for (const [text, headers] of refused)
      await expect(verifyWebhook(text, headers, { secret })).rejects.toThrow(WebhookVerificationError);
    expect(await verifyWebhook(body, headersFor(body, { time: old }), { secret, toleranceSeconds: 900 })).toBeDefined();
  });
});
