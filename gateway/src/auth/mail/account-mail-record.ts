import { Type } from 'typebox';

/** The address is not validated: the answer must not depend on it. */
export const Address = Type.Object(
  { email: Type.String() },
  { title: 'AddressRequest', examples: [{ email: 'ada@example.com' }] },
);

export const NewPassword = Type.Object(
  {
    token: Type.String({ writeOnly: true }),
    new_password: Type.String({ minLength: 8, maxLength: 256, writeOnly: true }),
  },
  {
    title: 'ResetPasswordRequest',
    examples: [{ token: 'the token of the mail', new_password: 'correct horse battery' }],
  },
);

export const Verification = Type.Object(
  { token: Type.String({ writeOnly: true }) },
  { title: 'VerifyEmailRequest', examples: [{ token: 'the token of the mail' }] },
);

export const Done = Type.Object({ status: Type.String() }, { title: 'Done' });
