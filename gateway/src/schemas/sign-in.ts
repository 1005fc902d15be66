import { Type } from 'typebox';

/** A place where the account is signed in. */
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

export const SignInList = Type.Object({ sessions: Type.Array(SignInRecord) }, { title: 'SignInList' });

export const SignInPath = Type.Object({ id: Type.String() });

export const EndSignInsQuery = Type.Object({ keep_current: Type.Optional(Type.Boolean()) });
