import { type App, type Context, unary } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { namingField } from './sign-up-fault.ts';
import { userOf } from './user-of.ts';
import { SignUpRequest, User } from './user-record.ts';

const url = '/api/users/';

/** Sign-up. When it is switched off, its POST answers 404 before a body is read, although the path has other methods. */
export function signUpRoute(app: App, context: Context): void {
  const { AUTH_BASIC_ENABLED: basic, AUTH_REGISTER_ENABLED: register } = context.config;
  if (basic && register) addSignUp(app, context);
  else app.post(url, { schema: { hide: true }, onRequest: notFound }, notFound);
}

async function notFound(): Promise<never> {
  throw new HttpError(404, 'Not Found');
}

function addSignUp(app: App, { auth }: Context): void {
  app.post(
    url,
    {
      schema: {
        tags: ['accounts'],
        operationId: 'createUser',
        summary: 'Sign up',
        description: 'Creates an account. Where verification is required, a mail with a token follows.',
        body: SignUpRequest,
        response: { 201: User, ...bodyFailures, 409: Problem, 422: HTTPValidationError, 429: Problem, ...faults },
      },
    },
    async ({ body }, reply) => {
      const { account } = await auth.signUp(signUpMessage(body), unary).catch((error: unknown) => {
        throw namingField(error);
      });
      return reply.code(201).send(userOf(account));
    },
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
