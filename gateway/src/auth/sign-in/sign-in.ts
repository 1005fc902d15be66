import type { RefreshToken } from '@agentmesh/proto/auth/v1';
import type { FastifyReply } from 'fastify';
import { cookiesAreSecure, publicBaseUrl } from '../../config.ts';
import { type App, type Context, unary } from '../../context.ts';
import { deviceOf } from '../../edge/authentication/device.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { Status } from '../status-record.ts';
import { multipartAsForm } from './multipart-form.ts';
import { createOwnPagesGuard } from './own-pages.ts';
import { createRefreshCookie, type RefreshCookie } from './refresh-cookie.ts';
import { SignInRequest, Token } from './sign-in-record.ts';

const tags = ['accounts'];

/** Sign-in, refresh and logout. A route that is switched off does not exist: 404 before a body is read. */
export function signInRoutes(app: App, context: Context): void {
  const { config } = context;
  const cookie = createRefreshCookie(cookiesAreSecure(config));
  if (config.AUTH_BASIC_ENABLED) addSignIn(app, context, cookie);
  addRefresh(app, context, cookie);
  addLogout(app, context, cookie);
}

function addSignIn(app: App, { signIn }: Context, cookie: RefreshCookie): void {
  app.post(
    '/api/auth/token',
    {
      preParsing: multipartAsForm,
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Sign in',
        description:
          'Answers an access token for the `Authorization: Bearer` header and sets the refresh cookie. Takes JSON, or the OAuth2 password form with `username`. Repeated failures are answered 429 with `Retry-After`.',
        body: SignInRequest,
        response: {
          200: Token,
          ...bodyFailures,
          401: Problem,
          403: Problem,
          422: HTTPValidationError,
          429: Problem,
          ...faults,
        },
      },
    },
    async (request, reply) => {
      const { email, username, password } = request.body;
      const credentials = { email: email ?? username ?? '', password };
      return sendToken(reply, cookie, await signIn(credentials, request, reply));
    },
  );
}

function addRefresh(app: App, { auth, config }: Context, cookie: RefreshCookie): void {
  app.post(
    '/api/auth/refresh-token',
    {
      onRequest: createOwnPagesGuard({ allowed: config.CORS_ALLOWED_ORIGINS, publicBaseUrl: publicBaseUrl(config) }),
      schema: {
        tags,
        operationId: 'refreshToken',
        summary: 'Get a new access token for the refresh cookie',
        description:
          'Replaces the refresh cookie too. A cookie that was replaced before ends its sign-in when it is used again. Needs no body.',
        response: { 200: Token, 401: Problem, 403: Problem, ...faults },
      },
    },
    async (request, reply) => {
      const refreshToken = cookie.read(request);
      if (refreshToken === undefined) throw new HttpError(401, 'Missing refresh token');
      return sendToken(reply, cookie, await auth.refresh({ refreshToken, device: deviceOf(request) }, unary));
    },
  );
}

function addLogout(app: App, { auth, config }: Context, cookie: RefreshCookie): void {
  app.post(
    '/api/auth/logout',
    {
      onRequest: createOwnPagesGuard({ allowed: config.CORS_ALLOWED_ORIGINS, publicBaseUrl: publicBaseUrl(config) }),
      schema: {
        tags,
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the sign-in of the refresh cookie and clears the cookie. 200 also without a cookie.',
        response: { 200: Status, 403: Problem, ...faults },
      },
    },
    async (request, reply) => {
      cookie.clear(reply);
      const refreshToken = cookie.read(request);
      if (refreshToken !== undefined) await auth.signOut({ refreshToken }, unary);
      return { status: 'ok' };
    },
  );
}

interface SignedIn {
  readonly accessToken: string;
  readonly refreshToken?: RefreshToken | undefined;
}

function sendToken(reply: FastifyReply, cookie: RefreshCookie, { accessToken, refreshToken }: SignedIn): Token {
  reply.header('cache-control', 'no-store');
  if (refreshToken !== undefined) cookie.write(reply, refreshToken.value, Number(refreshToken.maxAgeSeconds));
  return { token_type: 'bearer', access_token: accessToken };
}
