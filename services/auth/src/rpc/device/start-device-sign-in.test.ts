import { expect, test } from 'vitest';
import { openTestAuth } from '../../../test/open-test-auth.ts';

test('at most 10,000 programs wait for a sign-in, also of 250 calls at once at five replicas', async () => {
  await using auth = await openTestAuth();
  const text = `insert into device_sign_ins (device_hash, user_code, client, scopes, expires_at)
    select sha256(n::text::bytea), n, 'ci', '{runs:read}', now() + interval '1 hour' from generate_series(1, 9995) n`;
  await auth.context.db.query({ text });
  await using replicas = new AsyncDisposableStack();
  const clients = [auth.client];
  while (clients.length < 5) clients.push(replicas.use(await auth.replica()).client);
  const start = (number = 0) =>
    (clients[number % 5] ?? auth.client).startDeviceSignIn({ client: 'ci', scopes: ['runs:read'] });
  const outcomes = await Promise.allSettled(Array.from({ length: 250 }, (_, number) => start(number)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  await expect(start()).rejects.toMatchObject({ reason: 'device_sign_ins_too_many' });
});
