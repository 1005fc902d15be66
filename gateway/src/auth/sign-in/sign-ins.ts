import type { SignInRecord } from '@agentmesh/proto/auth/v1';
import { type App, type Context, unary } from '../../context.ts';
import { dateTime } from '../date-time.ts';
import { Status } from '../status-record.ts';
import { EndSignInsQuery, SignInList, SignInPath } from './sign-in-record.ts';
import { signedIn } from '../account-family.ts';

/** List and end the sign-ins of an account. */
export function signInsRoutes(app: App, context: Context): void {
  addList(app, context);
  addEnds(app, context);
}

function addList(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/auth/sessions',
    signedIn(authentication, {
      operationId: 'listSignIns',
      summary: 'List the sign-ins of the account',
      description: 'At most 200, last used first, with device and address. `current` marks the one of this request.',
      response: { 200: SignInList },
    }),
    async ({ identity }) => {
      const { signIns } = await auth.listSignIns({ accountId: identity.accountId }, unary);
      return signIns.map((record) => signInJson(record, identity.signInId));
    },
  );
}

function addEnds(app: App, { auth, authentication }: Context): void {
  app.delete(
    '/api/auth/sessions/:id',
    signedIn(authentication, {
      operationId: 'endSignIn',
      summary: 'End one sign-in',
      description: 'Its access tokens and its refresh cookie are refused within a second.',
      params: SignInPath,
      response: { 200: Status },
      refusals: [404],
    }),
    async ({ identity, params }) => {
      await auth.endSignIn({ accountId: identity.accountId, id: params.id }, unary);
      return { status: 'ok' };
    },
  );

  app.delete(
    '/api/auth/sessions',
    signedIn(authentication, {
      operationId: 'endSignIns',
      summary: 'End all sign-ins',
      description:
        'With `keep_current=true` all but the one of this request, with `tokens=true` the personal tokens too. Access tokens from before are refused within a second.',
      querystring: EndSignInsQuery,
      response: { 200: Status },
    }),
    async ({ identity, query }) => {
      const exceptId = query.keep_current ? (identity.signInId ?? '') : '';
      await auth.endSignIns({ accountId: identity.accountId, exceptId, tokens: query.tokens === true }, unary);
      return { status: 'ok' };
    },
  );
}

export function signInJson(record: SignInRecord, currentId: string | undefined) {
  return {
    id: record.id,
    user_agent: record.device?.userAgent ?? '',
    address: record.device?.address ?? '',
    created_at: dateTime(record.createdAt) ?? '',
    last_used_at: dateTime(record.lastUsedAt) ?? '',
    expires_at: dateTime(record.expiresAt) ?? '',
    current: record.id === currentId,
  };
}
