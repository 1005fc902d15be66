import { type App, type Context, unary } from '../../context.ts';
import { callerOf } from '../caller-of.ts';
import { dateTime } from '../date-time.ts';
import { Status } from '../status-record.ts';
import { DeviceDecision, DeviceRequest, UserCodeQuery } from './device-record.ts';
import { signedIn, withPassword } from '../account-family.ts';

/** Routes by which a person who has signed in sees a waiting program, and decides. */
export function deviceDecisionRoutes(app: App, context: Context): void {
  addRead(app, context);
  addApproval(app, context);
  addDenial(app, context);
}

function addRead(app: App, { auth, authentication }: Context): void {
  app.get(
    '/api/auth/device',
    signedIn(authentication, {
      operationId: 'getDeviceSignIn',
      summary: 'Get what a program asks for',
      description: 'By the code that it shows. The program has chosen its name itself.',
      querystring: UserCodeQuery,
      response: { 200: DeviceRequest },
      refusals: [404],
    }),
    async ({ query }) => {
      const { userCode, client, scopes, expiresAt } = await auth.findDeviceSignIn({ userCode: query.code }, unary);
      return { user_code: userCode, client, scopes, expires_at: dateTime(expiresAt) ?? '' };
    },
  );
}

function addApproval(app: App, { auth, authentication }: Context): void {
  app.post(
    '/api/auth/device/approve',
    // The program gets a token that lasts, as with POST /api/auth/tokens.
    withPassword(authentication, {
      operationId: 'approveDeviceSignIn',
      summary: 'Sign a program in',
      description: 'It gets a personal token. Needs a token of a sign-in with the password, not of a refresh.',
      body: DeviceDecision,
      response: { 200: Status },
      refusals: [403, 404],
    }),
    async ({ identity, body }) => {
      await auth.decideDeviceSignIn({ ...callerOf(identity), userCode: body.user_code, isApproved: true }, unary);
      return { status: 'ok' };
    },
  );
}

function addDenial(app: App, { auth, authentication }: Context): void {
  app.post(
    '/api/auth/device/deny',
    signedIn(authentication, {
      operationId: 'denyDeviceSignIn',
      summary: 'Refuse a program',
      description: 'It is told so, and its code is void.',
      body: DeviceDecision,
      response: { 200: Status },
      refusals: [404],
    }),
    async ({ identity, body }) => {
      await auth.decideDeviceSignIn({ ...callerOf(identity), userCode: body.user_code, isApproved: false }, unary);
      return { status: 'ok' };
    },
  );
}
