import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeys, type TestKeys } from './open-keys.ts';

const secret = `whsec_${Buffer.from('sixteen bytes or more').toString('base64')}`;
const resources = new AsyncDisposableStack();
let keys: TestKeys;

beforeAll(async () => {
  keys = resources.use(await openKeys());
});
afterAll(() => resources.disposeAsync());

const place = () => ({ accountId: randomUUID(), id: randomUUID() });
const seconds = () => Math.floor(Date.now() / 1000);

async function sign(sealed: { accountId: string; id: string; envelope: string }) {
  const timestamp = seconds();
  const payload = '{"text":"naïve ✓"}';
  const message = { messageId: 'msg_1', timestamp: BigInt(timestamp), payload: Buffer.from(payload) };
  const { signature } = await keys.signing.signMessage({ ...sealed, ...message });
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
  return { payload, headers };
}

test('a message is signed as Standard Webhooks says, with the secret of the caller', async () => {
  const at = place();
  const { envelope, madeSecret } = await keys.signing.sealSecret({ ...at, secret });
  expect(madeSecret).toBe('');
  expect(envelope).not.toContain(secret.slice(6));
  const { payload, headers } = await sign({ ...at, envelope });
  expect(new Webhook(secret).verify(payload, headers)).toEqual({ text: 'naïve ✓' });
  expect(() => new Webhook(secret).verify(`${payload} `, headers)).toThrow();
});

test('a secret is made when none is given, and each one is another', async () => {
  const at = place();
  const first = await keys.signing.sealSecret({ ...at, secret: '' });
  const second = await keys.signing.sealSecret({ ...at, secret: '' });
  expect(first.madeSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(second.madeSecret).not.toBe(first.madeSecret);
  const { payload, headers } = await sign({ ...at, envelope: first.envelope });
  expect(new Webhook(first.madeSecret).verify(payload, headers)).toBeDefined();
});

test('a secret without padding signs like the same one with it', async () => {
  const at = place();
  const bare = `whsec_${randomUUID().replaceAll('-', '')}`.slice(0, -2);
  const { envelope } = await keys.signing.sealSecret({ ...at, secret: bare });
  const { payload, headers } = await sign({ ...at, envelope });
  expect(new Webhook(`${bare}==`).verify(payload, headers)).toBeDefined();
});

test('equal secrets of an account have one fingerprint, and those of two accounts have two', async () => {
  const [at, other] = [place(), place()];
  const printOf = async (where: object) => (await keys.signing.sealSecret({ ...at, ...where, secret })).fingerprint;
  expect(await printOf({ id: randomUUID() })).toBe(await printOf({}));
  expect(await printOf(other)).not.toBe(await printOf({}));
});

test('an envelope signs only for the account and the id that it was made for', async () => {
  const at = place();
  const { envelope } = await keys.signing.sealSecret({ ...at, secret });
  const lost = { code: 'failed_precondition', reason: 'signing_secret_lost' };
  for (const moved of [{ accountId: randomUUID() }, { id: randomUUID() }, { envelope: `${envelope}A` }]) {
    await expect(sign({ ...at, envelope, ...moved })).rejects.toMatchObject(lost);
  }
});

test.each([
  'whsec_',
  'whsec_c2hvcnQ=',
  `whsec_${'A'.repeat(88)}`,
  'nothing',
  `${secret} `,
  'whsec_nonsense!nonsense!nonsense',
])('%j is refused as a secret', async (text) => {
  const refused = { code: 'invalid_argument', reason: 'signing_secret_invalid' };
  await expect(keys.signing.sealSecret({ ...place(), secret: text })).rejects.toMatchObject(refused);
});
