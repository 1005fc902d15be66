import { MeshError } from '@agentmesh/lib/rpc';
import type { ListAccountsRequest } from '@agentmesh/proto/auth/v1';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountId, type Answer, type Edge, startEdge } from '../edge.ts';

const made = timestampFromDate(new Date('2026-01-02T03:04:05Z'));
const ada = {
  id: accountId,
  userId: 7n,
  email: 'a@example.com',
  firstName: 'A',
  lastName: 'B',
  role: 'USER',
  createdAt: made,
  updatedAt: made,
};

let edge: Edge;
let asked: unknown[] = [];
let isGone = false;

beforeAll(async () => {
  edge = await startEdge({
    auth: {
      getAccount: ({ id }) => {
        if (id === accountId && !isGone) return { account: ada };
        throw new MeshError('not_found', 'account_not_found', 'User not found');
      },
      findAccount: ({ account }) => {
        if (account?.name.value === 404n) throw new MeshError('not_found', 'account_not_found', 'User not found');
        if (account?.name.value === 8n) throw new MeshError('permission_denied', 'not_allowed', 'Not allowed');
        return { account: ada };
      },
      listAccounts: ({ actorId, page, size }) => {
        asked.push({ actorId, page, size });
        return { accounts: [ada], total: 41n };
      },
      updateAccount: ({ $typeName: _, account: _account, ...change }) => {
        asked.push(change);
        if (change.username === 'long') {
          throw new MeshError('invalid_argument', 'text_invalid', 'username must be at most 4 characters.');
        }
        return { account: ada };
      },
      deleteAccount: ({ account }) => {
        asked.push(account?.name);
        return {};
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());

const detailOf = (body: unknown) => (body as { detail: { type: string; loc: string[] }[] }).detail[0];

describe('an account', () => {
  it('has every documented key', async () => {
    const { status, body } = await edge.send('/api/users/7');
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: 7,
      email: 'a@example.com',
      first_name: 'A',
      last_name: 'B',
      username: null,
      full_name: null,
      avatar_url: null,
      plan: 'free',
      role: 'USER',
      stripe_customer_id: null,
      mfa_enabled: false,
      onboarding_completed: false,
      created_at: '2026-01-02T03:04:05.000Z',
      updated_at: '2026-01-02T03:04:05.000Z',
    });
  });

  it.each([
    ['/api/users/8', 403, 'Not allowed'],
    ['/api/users/404', 404, 'User not found'],
  ])('%s is answered %i', async (path, status, detail) => {
    expect(await edge.send(path)).toMatchObject({ status, body: { detail } });
  });

  it.each(['x', '1.5', '99999999999999999999999', '-', '%00'])('of the number %s is 422', async (id) => {
    const { status, body } = await edge.send(`/api/users/${id}`);
    expect([status, detailOf(body)?.loc]).toEqual([422, ['path', 'id']]);
  });

  it('of a token whose account was deleted on the way is 401', async () => {
    isGone = true;
    const answer = await edge.send('/api/users/me');
    isGone = false;
    expect(answer).toMatchObject({ status: 401, body: { detail: 'User not found' } });
  });

  it('needs a token before its id is checked', async () => {
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect((await edge.send('/api/users/x', { method, headers: { authorization: null } })).status).toBe(401);
    }
  });
});

describe('a change', () => {
  const patch = (json: unknown) => edge.send('/api/users/7', { method: 'PATCH', json });

  it('forwards the given fields, and ignores role, address and null', async () => {
    asked = [];
    await patch({ first_name: 'N', last_name: null, role: 'ADMIN', email: 'x@example.com', onboarding_completed: 1 });
    expect(asked).toEqual([{ actorId: accountId, firstName: 'N', onboardingCompleted: true }]);
  });

  it.each([
    [{ first_name: 5 }, 'first_name'],
    [{ username: 'a\0' }, 'username'],
    [{ username: 'long' }, 'username'],
  ])('%j is refused at its field', async (json, field) => {
    const { status, body } = await patch(json);
    expect([status, detailOf(body)?.loc]).toEqual([422, ['body', field]]);
  });
});

describe('the list', () => {
  it('tells the position of a page', async () => {
    asked = [];
    const answers = await Promise.all(['', '?page=2', '?page=3'].map((query) => edge.send(`/api/users/${query}`)));
    expect(answers.map(({ body }) => body)).toMatchObject([
      { total: 41, page: 1, size: 20, has_next: true, has_previous: false },
      { page: 2, has_next: true, has_previous: true },
      { page: 3, has_next: false, has_previous: true },
    ]);
    expect(asked[0]).toEqual({ actorId: accountId, page: 1, size: 20 });
  });

  it('shows each account once by its cursors, also when one before them is deleted', async () => {
    let ids = [1n, 2n, 3n, 4n, 5n];
    const listAccounts = ({ page = 1, size = 20, afterUserId }: Partial<ListAccountsRequest>) => {
      const from = afterUserId === undefined ? (page - 1) * size : ids.filter((id) => id <= afterUserId).length;
      const accounts = ids.slice(from, from + size).map((userId) => ({ ...ada, userId }));
      return { accounts, total: BigInt(ids.length), more: from + size < ids.length };
    };
    await using other = await startEdge({ auth: { listAccounts } });
    const seen: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await other.send(`/api/users/?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(answer.body);
      cursor = answer.headers.get('x-next-cursor');
      ids = ids.filter((id) => id !== 1n);
    }
    const shown = (...numbers: number[]) => numbers.map((user_id) => ({ user_id }));
    expect(seen).toMatchObject([
      { page: 1, has_next: true, results: shown(1, 2) },
      { page: 2, has_next: true, results: shown(3, 4) },
      { page: 3, has_next: false, results: shown(5) },
    ]);
  });

  it.each([
    ['page=0', 'page', 'greater_than_equal'],
    ['page=-1', 'page', 'greater_than_equal'],
    ['page=x', 'page', 'int_parsing'],
    ['size=0', 'size', 'greater_than_equal'],
    ['size=101', 'size', 'less_than_equal'],
    ['size=', 'size', 'int_parsing'],
  ])('refuses %s', async (query, name, type) => {
    const { status, body } = await edge.send(`/api/users/?${query}`);
    expect([status, detailOf(body)]).toMatchObject([422, { type, loc: ['query', name] }]);
  });

  it('accepts any page number', async () => {
    expect((await edge.send('/api/users/?page=9007199254740991&size=100')).status).toBe(200);
  });
});

describe('a deletion', () => {
  it.each([
    ['/api/users/7', { case: 'userId', value: 7n }],
    ['/api/users/email/A%40example.com', { case: 'email', value: 'A@example.com' }],
  ])('of %s is 204 without a body', async (path, name) => {
    asked = [];
    const { status, text } = await edge.send(path, { method: 'DELETE' });
    expect([status, text]).toEqual([204, '']);
    expect(asked).toEqual([name]);
  });
});
