import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestAuth, type TestAuth } from '../../../test/open-test-auth.ts';

let auth: TestAuth;
beforeAll(async () => {
  auth = await openTestAuth();
});
afterAll(() => auth[Symbol.asyncDispose]());

describe('an account', () => {
  test.each(['', '1', 'ada@example.com', "'; drop table accounts; --", '\0', '00000000-0000-4000-8000-000000000000'])(
    'of id %j is not found',
    async (id) => {
      await expect(auth.client.getAccount({ id })).rejects.toMatchObject({
        code: 'not_found',
        reason: 'account_not_found',
      });
    },
  );
});
