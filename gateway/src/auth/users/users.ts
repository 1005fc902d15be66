import type { FastifyReply } from 'fastify';
import { MeshError } from '@agentmesh/lib/rpc';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { unknownAccount } from '../../edge/authentication/unauthorized.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { pageHeaders } from '../../edge/paging/page-query.ts';
import { addNextPage, noPlace, numberBefore, type Page, pageOf } from '../../edge/paging/page.ts';
import { accountRefusals, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { erasureOf } from './erasure-of.ts';
import { Erasure, ErasurePath } from './erasure-record.ts';
import { namingField } from '../naming-field.ts';
import { userOf } from './user-of.ts';
import { ProfileChange, User, UserEmailPath, UserIdPath, UserPage, UserPageQuery } from './user-record.ts';
import { signedIn, withPassword } from '../account-family.ts';

const tags = ['accounts'];
const byId = '/api/users/:id';
const byEmail = '/api/users/email/:email';
/** The account was deleted while the request was on its way. */
function refuseGone(error: unknown): never {
  throw error instanceof MeshError && error.code === 'not_found' ? unknownAccount() : error;
}

/** Last page number. Every page after it is empty. */
const lastPage = 2 ** 32 - 1;

/** Accounts, for their owners and for admins. Only admins learn whether another account exists. */
export function userRoutes(app: App, context: Context): void {
  addOwn(app, context);
  addList(app, context);
  addReads(app, context);
  addChange(app, context);
  addDeletions(app, context);
  addReceipt(app, context);
}

function addOwn(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/users/me',
    {
      preValidation: authentication.account,
      config: { scope: 'account:read' },
      schema: {
        tags,
        operationId: 'getCurrentUser',
        summary: 'Get the account of the token',
        description: 'A personal token needs the scope `account:read` and must not be bound to an end user.',
        response: { 200: User, ...accountRefusals, ...faults },
      },
    },
    async ({ identity }) => {
      const { account } = await auth.getAccount({ id: identity.accountId }, unary).catch(refuseGone);
      return userOf(account);
    },
  );
}

function addList(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/users/',
    signedIn(authentication, {
      operationId: 'listUsers',
      summary: 'List all accounts',
      description: 'For administrators; others get 403.',
      querystring: UserPageQuery,
      response: { 200: { ...UserPage, headers: pageHeaders } },
      refusals: [403],
    }),
    async ({ identity, query }, reply) => {
      const { limit = query.size ?? 20, cursor } = query;
      const wanted = pageOf(['users'], { limit, cursor });
      const [page, size] = [cursor === undefined ? (query.page ?? 1) : numberBefore(wanted), limit];
      const asked = { actorId: identity.accountId, page: Math.min(page, lastPage), size, ...placeBefore(wanted) };
      const { accounts, total, more = page * size < Number(total) } = await auth.listAccounts(asked, unary);
      const last = [page + 1, Number(accounts.at(-1)?.userId ?? 0n)];
      if (more) addNextPage(reply, { list: ['users'], page: wanted, last });
      return {
        total: Number(total),
        page,
        size,
        has_next: more,
        has_previous: page > 1,
        results: accounts.map(userOf),
      };
    },
  );
}

/** The account behind which a page begins, since page numbers move when accounts are deleted. Cursors of former processes have the number alone. */
function placeBefore({ after: [, userId] = [], cursor }: Page): { readonly afterUserId?: bigint } {
  if (userId === undefined) return {};
  if (typeof userId !== 'number' || !Number.isSafeInteger(userId)) throw noPlace(cursor);
  return { afterUserId: BigInt(userId) };
}

function addReads(app: App, { auth, authentication }: Context): void {
  const find = async (actorId: string, account: AccountName) =>
    userOf((await auth.findAccount({ actorId, account }, unary)).account);

  app.get(
    byId,
    signedIn(authentication, {
      operationId: 'getUser',
      summary: 'Get an account by id',
      description: 'For its owner and for administrators.',
      params: UserIdPath,
      response: { 200: User },
      refusals: [403, 404],
    }),
    async ({ identity, params }) => find(identity.accountId, idName(params.id)),
  );

  app.get(
    byEmail,
    signedIn(authentication, {
      operationId: 'getUserByEmail',
      summary: 'Get an account by e-mail',
      description: 'For its owner and for administrators.',
      params: UserEmailPath,
      response: { 200: User },
      refusals: [403, 404],
    }),
    async ({ identity, params }) => find(identity.accountId, emailName(params.email)),
  );
}

function addChange(app: App, { auth, authentication }: Context): void {
  app.patch(
    byId,
    signedIn(authentication, {
      operationId: 'updateUser',
      summary: 'Change a profile',
      description: 'Fields that are absent or null stay as they are. Role, e-mail and password cannot be changed here.',
      params: UserIdPath,
      headers: IdempotencyKey,
      body: ProfileChange,
      response: { 200: User },
      refusals: [403, 404],
    }),
    async (request, reply) => {
      const { identity, params, body } = request;
      const change = { actorId: identity.accountId, account: idName(params.id), ...changeMessage(body) };
      const changed = await auth.updateAccount(change, keyedCall(request, reply)).catch((error: unknown) => {
        throw namingField(error);
      });
      markReplayed(reply, changed);
      return userOf(changed.account);
    },
  );
}

function addDeletions(app: App, { auth, authentication, forgetAccount }: Context): void {
  const description =
    'Deletes the account and everything that it owns, in every service. The `Location` header names the receipt of the erasure. Needs a token of a sign-in with the password, not of a refresh.';
  const schema = { description, response: { 204: deleted }, refusals: [403, 404] };
  const erase = async (reply: FastifyReply, actorId: string, account: AccountName) => {
    const { receipt, accountId } = await auth.deleteAccount({ actorId, account }, unary);
    // Tokens of the account are refused from the next request on, before the bus tells the other gateways.
    forgetAccount(accountId);
    if (receipt !== '') reply.header('location', `/api/users/me/erasures/${receipt}`);
    return reply.code(204).send();
  };

  app.delete(
    byId,
    withPassword(authentication, {
      ...schema,
      operationId: 'deleteUser',
      summary: 'Delete an account by id',
      params: UserIdPath,
    }),
    async ({ identity, params }, reply) => erase(reply, identity.accountId, idName(params.id)),
  );

  app.delete(
    byEmail,
    withPassword(authentication, {
      ...schema,
      operationId: 'deleteUserByEmail',
      summary: 'Delete an account by e-mail',
      params: UserEmailPath,
    }),
    async ({ identity, params }, reply) => erase(reply, identity.accountId, emailName(params.email)),
  );
}

/** Needs no token, because tokens of a deleted account are refused. The id cannot be guessed, and the receipt holds only counts. */
function addReceipt(app: App, { auth }: Context): void {
  app.get(
    '/api/users/me/erasures/:id',
    {
      schema: {
        tags,
        operationId: 'getErasure',
        summary: 'Get the receipt of a deleted account',
        description:
          'Says how much was erased in each service. Needs no token: the id is secret, and the receipt holds counts only.',
        params: ErasurePath,
        response: { 200: Erasure, 404: Problem, 422: HTTPValidationError, ...faults },
      },
    },
    async ({ params }, reply) => {
      reply.header('cache-control', 'no-store');
      return erasureOf(await auth.getErasure({ receipt: params.id }, unary));
    },
  );
}

const deleted = Type.Null({ description: 'Deleted.' });

type AccountName = ReturnType<typeof idName> | ReturnType<typeof emailName>;

function idName(id: number) {
  return { name: { case: 'userId', value: BigInt(id) } } as const;
}

function emailName(email: string) {
  return { name: { case: 'email', value: email } } as const;
}

function changeMessage(body: ProfileChange) {
  const { first_name: firstName, last_name: lastName, username, full_name: fullName } = body;
  const given = { firstName, lastName, username, fullName, onboardingCompleted: body.onboarding_completed };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}
