import { MeshError } from '@agentmesh/lib/rpc';
import type { PersonalToken } from '@agentmesh/proto/auth/v1';
import { Type } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { keyedCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { encodeJson, sendJson } from '../../edge/json/json-bytes.ts';
import { pageHeaders } from '../../edge/paging/page-query.ts';
import { addNextPage, idBefore, pageOf } from '../../edge/paging/page.ts';
import { callerOf } from '../caller-of.ts';
import { dateTime } from '../date-time.ts';
import { Status } from '../status-record.ts';
import {
  CreatePersonalTokenRequest,
  NewPersonalToken,
  PersonalToken as PersonalTokenRecord,
  PersonalTokenPath,
  PersonalTokensQuery,
  RevokedPersonalTokens,
  RevokePersonalTokensQuery,
} from './personal-token-record.ts';
import { ofOwnToken, signedIn, withPassword } from '../account-family.ts';
import { namingField } from '../naming-field.ts';

const url = '/api/auth/tokens';

/** Create, list and revoke personal tokens. A personal token opens none of these routes but the one that revokes it. */
export function personalTokenRoutes(app: App, context: Context): void {
  addCreation(app, context);
  addList(app, context);
  addRevocation(app, context);
  addRevocationOfOwn(app, context);
  addRevocationOfAll(app, context);
}

function addCreation(app: App, { auth, authentication }: Context): void {
  app.post(
    url,
    withPassword(authentication, {
      operationId: 'createPersonalToken',
      summary: 'Create a personal token for a program',
      description:
        'The token is shown in this answer only. With `user_id` it reaches the data of that end user alone. Needs a token of a sign-in with the password, not of a refresh.',
      headers: IdempotencyKey,
      body: CreatePersonalTokenRequest,
      response: { 201: NewPersonalToken },
      refusals: [403],
    }),
    async (request, reply) => {
      const { identity, body } = request;
      const wanted = {
        ...callerOf(identity),
        name: body.name,
        scopes: body.scopes,
        lifeSeconds: BigInt(body.expires_in_seconds),
        ...(typeof body.user_id === 'string' && { userId: body.user_id }),
      };
      const created = await auth.createPersonalToken(wanted, keyedCall(request, reply)).catch((error: unknown) => {
        throw namingField(error);
      });
      markReplayed(reply, created);
      reply.code(201).header('cache-control', 'no-store');
      return { ...personalTokenJson(created.token), token: created.secret };
    },
  );
}

function addList(app: App, { auth, authentication }: Context): void {
  app.get(
    url,
    signedIn(authentication, {
      operationId: 'listPersonalTokens',
      summary: 'List personal tokens',
      description: 'Those that have not expired, newest first. The tokens themselves are never shown again.',
      querystring: PersonalTokensQuery,
      response: { 200: { ...Type.Array(PersonalTokenRecord), headers: pageHeaders } },
    }),
    async ({ identity: { accountId }, query }, reply) => {
      const { limit = 200, cursor, after } = query;
      const list = ['tokens', accountId, query.user_id ?? ''];
      const page = pageOf(list, { limit, cursor });
      const asked = { accountId, afterId: after ?? idBefore(page), limit, ...ofUser(query) };
      const found = await auth.listPersonalTokens(asked, unary);
      const tokens = found.tokens.map(personalTokenJson);
      if (after !== undefined) return sendJson(reply, encodeJson({ tokens, has_more: found.hasMore }));
      if (found.hasMore) addNextPage(reply, { list, page, last: [tokens.at(-1)?.id ?? ''] });
      return tokens;
    },
  );
}

function addRevocation(app: App, { auth, authentication }: Context): void {
  app.delete(
    `${url}/:id`,
    signedIn(authentication, {
      operationId: 'revokePersonalToken',
      summary: 'Revoke a personal token',
      description: 'It is refused within a second.',
      params: PersonalTokenPath,
      response: { 200: Status },
      refusals: [404],
    }),
    async ({ identity, params }) => {
      await auth.revokePersonalToken({ accountId: identity.accountId, id: params.id }, unary);
      return { status: 'ok' };
    },
  );
}

function addRevocationOfOwn(app: App, { auth, authentication }: Context): void {
  app.delete(
    `${url}/current`,
    ofOwnToken(authentication, {
      operationId: 'revokeCurrentPersonalToken',
      summary: 'Revoke the personal token of this request',
      description:
        'For programs that sign out: it needs no scope. The token is refused within a second. 404 `personal_token_not_found` for a request with another credential.',
      response: { 200: Status },
      refusals: [404],
    }),
    async ({ identity: { accountId, grant } }) => {
      if (grant?.token === undefined)
        throw new MeshError('not_found', 'personal_token_not_found', 'The request was not made with a personal token.');
      await auth.revokePersonalToken({ accountId, id: grant.token.id }, unary);
      return { status: 'ok' };
    },
  );
}

function addRevocationOfAll(app: App, { auth, authentication }: Context): void {
  app.delete(
    url,
    signedIn(authentication, {
      operationId: 'revokePersonalTokens',
      summary: 'Revoke all personal tokens',
      description: 'With `user_id` only those bound to that end user.',
      querystring: RevokePersonalTokensQuery,
      response: { 200: RevokedPersonalTokens },
    }),
    async ({ identity, query }) => {
      const { revoked } = await auth.revokePersonalTokens({ accountId: identity.accountId, ...ofUser(query) }, unary);
      return { status: 'ok', revoked: Number(revoked) };
    },
  );
}

function ofUser({ user_id: userId }: { readonly user_id?: string }): { userId?: string } {
  return userId === undefined ? {} : { userId };
}

export function personalTokenJson(token: PersonalToken | undefined) {
  if (token === undefined) throw new MeshError('internal', 'token_missing', 'The token could not be read.');
  return {
    id: token.id,
    name: token.name,
    scopes: token.scopes,
    user_id: token.userId ?? null,
    created_at: dateTime(token.createdAt) ?? '',
    expires_at: dateTime(token.expiresAt) ?? '',
    last_used_at: dateTime(token.lastUsedAt),
  };
}
