import { Type, type Static } from 'typebox';
import { pageFields } from '../../edge/paging/page-query.ts';
import { maybe, storedText } from '../../edge/records/keywords.ts';

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
  {
    title: 'SignUpRequest',
    examples: [
      { email: 'ada@example.com', password: 'correct horse battery', first_name: 'Ada', last_name: 'Lovelace' },
    ],
  },
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
  { title: 'UpdateUserRequest', description: 'Unknown fields are ignored.', examples: [{ first_name: 'Augusta Ada' }] },
);
export type ProfileChange = Static<typeof ProfileChange>;

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
  ...pageFields(20, 100),
});

export const UserIdPath = Type.Object({
  id: Type.Integer({ description: '`user_id` of the account.', examples: [1] }),
});

export const UserEmailPath = Type.Object({
  email: Type.String({ description: 'In upper or lower case.', examples: ['ada@example.com'] }),
});
