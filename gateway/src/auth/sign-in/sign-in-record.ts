import { type Static, Type } from 'typebox';
import { strict } from '../../edge/records/keywords.ts';

/** The OAuth2 password form. */
const SignInForm = Type.Object(
  {
    grant_type: Type.Optional(Type.String({ pattern: '^password$' })),
    username: Type.String(),
    password: Type.String({ writeOnly: true }),
  },
  {
    title: 'SignInForm',
    examples: [{ grant_type: 'password', username: 'ada@example.com', password: 'correct horse battery' }],
  },
);

const SignInJson = Type.Object(
  { email: Type.String({ 'x-also': 'username' }), password: Type.String({ writeOnly: true }) },
  {
    title: 'SignInRequest',
    'x-form': SignInForm,
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  },
);

/** Body of a sign-in: JSON has `email`, the form has `username`. */
export type SignInRequest = { email?: string; username?: string; password: string };
export const SignInRequest = Type.Unsafe<SignInRequest>(SignInJson);

export const Token = Type.Object({ token_type: Type.String(), access_token: Type.String() }, { title: 'Token' });
export type Token = Static<typeof Token>;

/** One sign-in of the account. */
const SignInRecord = Type.Object(
  {
    id: Type.String({ description: 'UUID.' }),
    user_agent: Type.String(),
    address: Type.String({ description: 'IP address.' }),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time', description: 'When its refresh cookie was last used.' }),
    expires_at: Type.String({ format: 'date-time' }),
    current: Type.Boolean({ description: 'Whether this request belongs to it.' }),
  },
  { title: 'SignIn' },
);

export const SignInList = Type.Array(SignInRecord);

export const SignInPath = Type.Object({ id: Type.String() });

/** Strict, so that a name with a mistake does not end the sign-in of the caller too. */
export const EndSignInsQuery = Type.Object(
  {
    keep_current: Type.Optional(Type.Boolean()),
    tokens: Type.Optional(Type.Boolean({ description: 'Revokes all personal tokens too.' })),
  },
  strict,
);
