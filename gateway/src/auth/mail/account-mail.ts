import type { TSchema } from 'typebox';
import { type App, type Context, unary } from '../../context.ts';
import { readSignUpCookie } from '../../edge/authentication/browser/sign-up-cookie.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { readRefreshCookie } from '../sign-in/refresh-cookie.ts';
import { namingField } from '../naming-field.ts';
import { Address, Done, NewPassword, Verification } from './account-mail-record.ts';

/** Password resets and e-mail verification. With `AUTH_BASIC_ENABLED=false` the routes do not exist: 404 before a body is read. */
export function accountMailRoutes(app: App, context: Context): void {
  if (!context.config.AUTH_BASIC_ENABLED) return;
  addRequests(app, context);
  addCompletions(app, context);
}

const done = { status: 'ok' } as const;

interface OperationText {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

function operation<Body extends TSchema>(text: OperationText, body: Body) {
  const response = { 200: Done, ...bodyFailures, 422: HTTPValidationError, 429: Problem, ...faults };
  return { schema: { tags: ['accounts'], ...text, body, response } };
}

/** Requests for mail. The answer does not depend on the address. */
function addRequests(app: App, { auth, limitMail }: Context): void {
  app.post(
    '/api/auth/forgot-password',
    operation(
      {
        operationId: 'forgotPassword',
        summary: 'Ask for a password reset mail',
        description: 'Answers alike whether or not there is such an account.',
      },
      Address,
    ),
    async (request, reply) => {
      await limitMail(request, reply);
      await auth.requestPasswordReset({ email: request.body.email }, unary);
      return done;
    },
  );

  app.post(
    '/api/auth/resend-verification',
    operation(
      {
        operationId: 'resendVerification',
        summary: 'Ask for the verification mail again',
        description: 'Answers alike whether or not there is such an account.',
      },
      Address,
    ),
    async (request, reply) => {
      await limitMail(request, reply);
      await auth.resendVerification({ email: request.body.email }, unary);
      return done;
    },
  );
}

function addCompletions(app: App, { auth }: Context): void {
  const reset = operation(
    {
      operationId: 'resetPassword',
      summary: 'Set a new password',
      description: 'Takes the token of the password reset mail, once. All sign-ins of the account end.',
    },
    NewPassword,
  );
  const verify = operation(
    {
      operationId: 'verifyEmail',
      summary: 'Verify an e-mail address',
      description:
        'Takes the token of the verification mail. The first proof of an address ends all sign-ins, personal tokens and the password, unless this browser has signed up or in with it; a password reset mail then follows.',
    },
    Verification,
  );
  const withToken = { 401: Problem };

  app.post(
    '/api/auth/reset-password',
    { schema: { ...reset.schema, response: { ...reset.schema.response, ...withToken } } },
    async ({ body: { token, new_password: newPassword } }) => {
      await auth.resetPassword({ token, newPassword }, unary).catch((error: unknown) => {
        throw namingField(error, { password: 'new_password' });
      });
      return done;
    },
  );

  app.post(
    '/api/auth/verify-email',
    { schema: { ...verify.schema, response: { ...verify.schema.response, ...withToken } } },
    async (request) => {
      const refreshToken = readRefreshCookie(request) ?? '';
      const shown = { refreshToken, signUpProof: readSignUpCookie(request) };
      await auth.verifyEmail({ token: request.body.token, ...shown }, unary);
      return done;
    },
  );
}
