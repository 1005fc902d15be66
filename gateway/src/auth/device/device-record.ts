import { Type } from 'typebox';
import { Problem } from '../../edge/records/problem.ts';
import { scopes } from '../../edge/authentication/scopes.ts';

const codeFields = {
  client_id: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the program, shown to the person.' }),
  scope: Type.Optional(
    Type.String({ maxLength: 1000, description: `Scopes with spaces between: ${scopes.join(' ')}. All by default.` }),
  ),
};
const codeExamples = [{ client_id: 'agentmesh on laptop', scope: 'runs:read runs:write' }];

/** RFC 8628 sends forms; programs of today send JSON. */
export const DeviceCodeRequest = Type.Object(codeFields, {
  title: 'DeviceCodeRequest',
  'x-form': Type.Object(codeFields, { title: 'DeviceCodeForm', examples: codeExamples }),
  examples: codeExamples,
});

export const DeviceCode = Type.Object(
  {
    device_code: Type.String({ description: 'Secret of the program.' }),
    user_code: Type.String({ description: 'What the person types.' }),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer({ description: 'Seconds until both codes are void.' }),
    interval: Type.Integer({ description: 'Seconds to wait between two requests for the token.' }),
  },
  { title: 'DeviceCode' },
);

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

const tokenFields = {
  grant_type: Type.Literal(grantType),
  device_code: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }),
  client_id: Type.Optional(Type.String({ maxLength: 100 })),
};
const tokenExamples = [{ grant_type: grantType, device_code: 'the device_code of the answer before' }];

export const DeviceTokenRequest = Type.Object(tokenFields, {
  title: 'DeviceTokenRequest',
  'x-form': Type.Object(tokenFields, { title: 'DeviceTokenForm', examples: tokenExamples }),
  examples: tokenExamples,
});

export const DeviceToken = Type.Object(
  {
    access_token: Type.String({ description: 'A personal token.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    scope: Type.String(),
  },
  { title: 'DeviceToken' },
);

const DeviceRefusal = Type.Object(
  {
    error: Type.Enum(['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'invalid_scope']),
    error_description: Type.String(),
  },
  { title: 'DeviceRefusal' },
);

/** A refusal, or a body that cannot be read. */
export const DeviceFailure = Type.Union([DeviceRefusal, Problem]);

export const UserCodeQuery = Type.Object({ code: Type.String({ minLength: 1, maxLength: 40 }) }, { title: 'UserCode' });

export const DeviceRequest = Type.Object(
  {
    user_code: Type.String(),
    client: Type.String({ description: 'Name of the program, which it has chosen itself.' }),
    scopes: Type.Array(Type.String()),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'DeviceRequest' },
);

export const DeviceDecision = Type.Object(
  { user_code: Type.String({ minLength: 1, maxLength: 40 }) },
  { title: 'DeviceDecision', examples: [{ user_code: 'BCDF-GHJK' }] },
);
