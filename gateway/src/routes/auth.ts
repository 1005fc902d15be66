import { type App, type Context, unary } from '../context.ts';
import { SignInRequest, Token } from '../schemas/account.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../schemas/problem.ts';

const tags = ['accounts'];

/** Sign-in. What is switched off does not exist: it is 404 before any body is read. */
export function authRoutes(app: App, context: Context): void {
  if (context.config.AUTH_BASIC_ENABLED) addSignIn(app, context);
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
