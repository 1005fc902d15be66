import { Type, type Static } from 'typebox';
import { maybe, storedText } from './keywords.ts';

export const SignUpRequest = Type.Object(
  {
    first_name: storedText(),
    last_name: storedText(),
    email: Type.String({ format: 'email' }),
    password: maybe(Type.String({ minLength: 8, maxLength: 256, writeOnly: true })),
    username: maybe(storedText()),
    full_name: maybe(storedText()),
    avatar_url: maybe(storedText()),
  },
  { title: 'SignUpRequest' },
);
export type SignUpRequest = Static<typeof SignUpRequest>;

export const ProfileChange = Type.Object(
  {
    first_name: maybe(storedText()),
    last_name: maybe(storedText()),
    username: maybe(storedText()),
    full_name: maybe(storedText()),
    onboarding_completed: maybe(Type.Boolean()),
  },
  { title: 'UpdateUserRequest', description: 'What is absent or null stays as it is; unknown fields are ignored.' },
);
export type ProfileChange = Static<typeof ProfileChange>;

/** The OAuth2 password form. */
const SignInForm = Type.Object(
  {
    grant_type: Type.Optional(Type.String({ pattern: '^password$' })),
    username: Type.String(),
    password: Type.String({ writeOnly: true }),
  },
  { title: 'SignInForm' },
);

const SignInJson = Type.Object(
  { email: Type.String({ 'x-also': 'username' }), password: Type.String({ writeOnly: true }) },
  { title: 'SignInRequest', 'x-form': SignInForm },
);

/** Either form of a sign-in: which of the two names is there depends on how it was sent. */
export type SignInRequest = { email?: string; username?: string; password: string };
export const SignInRequest = Type.Unsafe<SignInRequest>(SignInJson);

export const Token = Type.Object({ token_type: Type.String(), access_token: Type.String() }, { title: 'Token' });
export type Token = Static<typeof Token>;

export const Status = Type.Object({ status: Type.String() }, { title: 'Status' });

export const User = Type.Object(
  {
    user_id: Type.Integer(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    username: Type.Union([Type.String(), Type.Null()]),
    full_name: Type.Union([Type.String(), Type.Null()]),
    avatar_url: Type.Union([Type.String(), Type.Null()]),
    plan: Type.String(),
    role: Type.String(),
    stripe_customer_id: Type.Null(),
    mfa_enabled: Type.Boolean(),
    onboarding_completed: Type.Boolean(),
    created_at: Type.Union([Type.String(), Type.Null()]),
    updated_at: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const UserPage = Type.Object(
  {
    total: Type.Integer({ description: 'Of all pages.' }),
    page: Type.Integer(),
    size: Type.Integer(),
    has_next: Type.Boolean(),
    has_previous: Type.Boolean(),
    results: Type.Array(User),
  },
  { title: 'UserPage' },
);

export const UserPageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
});

export const UserIdPath = Type.Object({ id: Type.Integer({ description: '`user_id` of the account.' }) });

export const UserEmailPath = Type.Object({ email: Type.String({ description: 'In any spelling.' }) });

/** Its form is not checked: whoever asks learns nothing of an address, not even that it is none. */
export const Address = Type.Object({ email: Type.String() }, { title: 'AddressRequest' });

export const NewPassword = Type.Object(
  {
    token: Type.String({ writeOnly: true }),
    new_password: Type.String({ minLength: 8, maxLength: 256, writeOnly: true }),
  },
  { title: 'ResetPasswordRequest' },
);

export const Verification = Type.Object({ token: Type.String({ writeOnly: true }) }, { title: 'VerifyEmailRequest' });

export const Done = Type.Object({ status: Type.String() }, { title: 'Done' });
