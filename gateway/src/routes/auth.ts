import { MeshError } from '@agentmesh/lib/rpc';
import type { Account } from '@agentmesh/proto/auth/v1';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type App, type Context, unary } from '../context.ts';
import { SignInRequest, SignUpRequest, Token, User } from '../schemas/account.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../schemas/problem.ts';
import { namingField } from './sign-up-fault.ts';

const tags = ['accounts'];

/** Sign-up, sign-in, and who one is. What is switched off does not exist: it is 404 before any body is read. */
export function authRoutes(app: App, context: Context): void {
  const { AUTH_BASIC_ENABLED: basic, AUTH_REGISTER_ENABLED: register } = context.config;
  if (basic && register) addSignUp(app, context);
  if (basic) addSignIn(app, context);
  addOwnAccount(app, context);
}

function addSignUp(app: App, { auth }: Context): void {
  const signUp = {
    tags,
    operationId: 'createUser',
    summary: 'Create an account',
    body: SignUpRequest,
    response: { 201: User, ...bodyFailures, 409: Problem, 422: HTTPValidationError, 429: Problem, ...faults },
  };
  for (const [url, hide] of [
    ['/api/users/', false],
    ['/api/users', true],
  ] as const) {
    app.post(url, { schema: { ...signUp, hide } }, async ({ body }, reply) => {
      const { account } = await auth.signUp(signUpMessage(body), unary).catch((error: unknown) => {
        throw namingField(error);
      });
      return reply.code(201).send(userOf(account));
    });
  }
}

function addSignIn(app: App, { auth }: Context): void {
  app.post(
    '/api/auth/token',
    {
      schema: {
        tags,
        operationId: 'createToken',
        summary: 'Sign in with e-mail and password, as JSON or as the OAuth2 password form',
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
    async ({ body }, reply) => {
      const email = body.email ?? body.username ?? '';
      const { accessToken } = await auth.signIn({ email, password: body.password }, unary);
      reply.header('cache-control', 'no-store');
      return { token_type: 'bearer', access_token: accessToken };
    },
  );
}

function addOwnAccount(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/users/me',
    {
      preValidation: authentication.account,
      schema: {
        tags,
        operationId: 'getCurrentUser',
        summary: 'The account of the token',
        response: { 200: User, 401: Problem, ...faults },
      },
    },
    async ({ identity }) => userOf((await auth.getAccount({ id: identity.accountId }, unary)).account),
  );
}

function signUpMessage(body: SignUpRequest) {
  return {
    email: body.email.trim(),
    password: body.password ?? '',
    firstName: body.first_name,
    lastName: body.last_name,
    ...optional('username', body.username),
    ...optional('fullName', body.full_name),
    ...optional('avatarUrl', body.avatar_url),
  };
}

function optional<K extends string>(key: K, value: string | null | undefined): { [P in K]?: string } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]: string });
}

/** The account as the public API shows it. */
function userOf(account: Account | undefined): User {
  if (account === undefined) throw new MeshError('internal', 'account_missing', 'The account could not be read.');
  return {
    user_id: Number(account.userId),
    email: account.email,
    first_name: account.firstName,
    last_name: account.lastName,
    username: account.username ?? null,
    full_name: account.fullName ?? null,
    avatar_url: account.avatarUrl ?? null,
    plan: 'free',
    role: account.role,
    stripe_customer_id: null,
    mfa_enabled: false,
    onboarding_completed: account.onboardingCompleted,
    created_at: account.createdAt === undefined ? null : timestampDate(account.createdAt).toISOString(),
    updated_at: account.updatedAt === undefined ? null : timestampDate(account.updatedAt).toISOString(),
  };
}
