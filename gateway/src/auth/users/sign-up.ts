import { cookiesAreSecure } from '../../config.ts';
import { type App, type Context, unary } from '../../context.ts';
import { writeSignUpCookie } from '../../edge/authentication/browser/sign-up-cookie.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { present } from '../../edge/records/present.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { namingField } from '../naming-field.ts';
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

function addSignUp(app: App, { auth, config, limitSignUp }: Context): void {
  app.post(
    url,
    {
      schema: {
        tags: ['accounts'],
        operationId: 'createUser',
        summary: 'Sign up',
        description:
          'Creates an account. Where verification is required, a mail with a token follows, and the answer does not tell whether the address has an account already.',
        body: SignUpRequest,
        response: { 201: User, ...bodyFailures, 409: Problem, 422: HTTPValidationError, 429: Problem, ...faults },
      },
    },
    async (request, reply) => {
      await limitSignUp(request, reply);
      const { account, proof } = await auth.signUp(signUpMessage(request.body), unary).catch((error: unknown) => {
        throw namingField(error);
      });
      writeSignUpCookie(reply, proof, cookiesAreSecure(config));
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
    ...present('username', body.username),
    ...present('fullName', body.full_name),
    ...present('avatarUrl', body.avatar_url),
  };
}
