import { Type } from 'typebox';
import { scopes } from '../../edge/authentication/scopes.ts';
import { formerUntil02, pageFields } from '../../edge/paging/page-query.ts';
import { maybe, storedId, strict } from '../../edge/records/keywords.ts';
import { noNul } from '../../edge/validation/index.ts';

const secondsOfDay = 86_400;

const Scope = Type.Unsafe<string>({ type: 'string', enum: [...scopes] });

export const CreatePersonalTokenRequest = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: noNul }),
    scopes: Type.Array(Scope, { minItems: 1, maxItems: scopes.length }),
    user_id: maybe(storedId({ minLength: 1, description: 'The only end user whose data it reaches.' })),
    expires_in_seconds: Type.Integer({ minimum: 60, maximum: 366 * secondsOfDay, default: 90 * secondsOfDay }),
  },
  {
    title: 'CreatePersonalTokenRequest',
    ...strict,
    required: ['name', 'scopes'],
    examples: [{ name: 'ci', scopes: ['sessions:write', 'runs:write'] }],
  },
);

const fields = {
  id: Type.String({ description: 'UUID.' }),
  name: Type.String(),
  scopes: Type.Array(Scope),
  user_id: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({ format: 'date-time' }),
  last_used_at: Type.Union([Type.String({ format: 'date-time', description: 'To the minute.' }), Type.Null()]),
};

export const PersonalToken = Type.Object(fields, { title: 'PersonalToken' });

export const NewPersonalToken = Type.Object(
  { ...fields, token: Type.String({ description: 'The token itself, which is shown this once.' }) },
  { title: 'NewPersonalToken' },
);

export const PersonalTokensQuery = Type.Object({
  user_id: Type.Optional(storedId({ description: 'Only those bound to this end user.' })),
  ...pageFields(200, 200),
  after: Type.Optional(
    Type.String({
      ...formerUntil02,
      description:
        'Until 0.2: goes on after the token of this id, empty for the first page; the answer is `{tokens, has_more}`. Use `cursor`.',
    }),
  ),
});

/** Strict, so that a name with a mistake does not revoke all tokens. */
export const RevokePersonalTokensQuery = Type.Object(
  { user_id: Type.Optional(storedId({ description: 'Only those bound to this end user.' })) },
  strict,
);

export const RevokedPersonalTokens = Type.Object(
  { status: Type.String(), revoked: Type.Integer() },
  { title: 'RevokedPersonalTokens' },
);

export const PersonalTokenPath = Type.Object({ id: Type.String() });
