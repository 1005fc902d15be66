import { DeviceSignInState } from '@agentmesh/proto/auth/v1';
import { publicBaseUrl } from '../../config.ts';
import { type App, type Context, unary } from '../../context.ts';
import { scopes } from '../../edge/authentication/scopes.ts';
import { multipartAsForm } from '../sign-in/multipart-form.ts';
import { namingField } from '../naming-field.ts';
import { bodyFailures, faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { DeviceCode, DeviceCodeRequest, DeviceFailure, DeviceToken, DeviceTokenRequest } from './device-record.ts';

const tags = ['accounts'];
const answers = { ...bodyFailures, 422: HTTPValidationError, 429: Problem, ...faults, 400: DeviceFailure };

/** Sign-in of programs that have no browser (RFC 8628): they show a code, and ask until a person has approved it in the console. */
export function deviceRoutes(app: App, context: Context): void {
  addStart(app, context);
  addToken(app, context);
}

function addStart(app: App, { auth, config, limitDevices }: Context): void {
  app.post(
    '/api/auth/device/code',
    {
      preParsing: multipartAsForm,
      schema: {
        tags,
        operationId: 'startDeviceSignIn',
        summary: 'Begin the sign-in of a program',
        description:
          'The program shows `verification_uri` and `user_code`, and asks `/api/auth/device/token` every `interval` seconds.',
        body: DeviceCodeRequest,
        response: { 200: DeviceCode, ...answers },
      },
    },
    async (request, reply) => {
      await limitDevices(request, reply);
      const { client_id: client, scope } = request.body;
      const named = new Set((scope ?? '').split(' ').filter((it) => it !== ''));
      // An empty parameter of OAuth stands for one that was left out (RFC 6749, section 3.1).
      const wanted = named.size === 0 ? [...scopes] : [...named];
      const unknown = wanted.find((it) => !(scopes as readonly string[]).includes(it));
      if (unknown !== undefined) {
        return reply.code(400).send({ error: 'invalid_scope', error_description: `There is no scope ${unknown}.` });
      }
      const started = await auth.startDeviceSignIn({ client, scopes: wanted }, unary).catch((error: unknown) => {
        throw namingField(error, { name: 'client_id' });
      });
      const page = `${publicBaseUrl(config)}/console/device`;
      reply.header('cache-control', 'no-store');
      return {
        device_code: started.deviceCode,
        user_code: started.userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?code=${started.userCode}`,
        expires_in: started.lifeSeconds,
        interval: started.intervalSeconds,
      };
    },
  );
}

/** Errors of RFC 8628, section 3.5. */
const refusals = {
  [DeviceSignInState.UNSPECIFIED]: ['expired_token', 'The code is not valid.'],
  [DeviceSignInState.PENDING]: ['authorization_pending', 'Nobody has approved it yet.'],
  [DeviceSignInState.SLOW_DOWN]: ['slow_down', 'Wait five seconds between two requests.'],
  [DeviceSignInState.DENIED]: ['access_denied', 'It was denied.'],
  [DeviceSignInState.EXPIRED]: ['expired_token', 'The code is unknown or too old. Begin again.'],
} as const;

function addToken(app: App, { auth, limitDevices }: Context): void {
  app.post(
    '/api/auth/device/token',
    {
      preParsing: multipartAsForm,
      schema: {
        tags,
        operationId: 'claimDeviceToken',
        summary: 'Get the token of a program that was approved',
        description: 'Answers a personal token, once. Until then 400 with the `error` of RFC 8628.',
        body: DeviceTokenRequest,
        response: { 200: DeviceToken, ...answers },
      },
    },
    async (request, reply) => {
      await limitDevices(request, reply);
      const claimed = await auth.claimDeviceToken({ deviceCode: request.body.device_code }, unary);
      reply.header('cache-control', 'no-store');
      if (claimed.state !== DeviceSignInState.APPROVED) {
        const [error, description] = refusals[claimed.state];
        return reply.code(400).send({ error, error_description: description });
      }
      return {
        access_token: claimed.secret,
        token_type: 'Bearer' as const,
        expires_in: Number(claimed.lifeSeconds),
        scope: (claimed.token?.scopes ?? []).join(' '),
      };
    },
  );
}
