import type { Config } from '../../config.ts';
import { type MailProvider, type Profile, textOf } from './mail-provider.ts';

const mailScope = 'https://www.googleapis.com/auth/gmail.readonly';
/** Permit more, also to read. */
const moreScopes = ['https://www.googleapis.com/auth/gmail.modify', 'https://mail.google.com/'];

/** Gmail: Google's OAuth and OpenID profile. */
export function createGoogle(config: Config): MailProvider {
  const { GOOGLE_CLIENT_ID: id = '', GOOGLE_CLIENT_SECRET: secret = '' } = config;
  const scope = `openid email profile ${mailScope}`;
  return {
    word: 'google',
    missing: [...(id === '' ? ['GOOGLE_CLIENT_ID'] : []), ...(secret === '' ? ['GOOGLE_CLIENT_SECRET'] : [])],
    tokenUrl: config.GOOGLE_TOKEN_URL,
    client: { id, secret },
    scope,
    consentUrl: ({ redirectUri, state, challenge }) => {
      const url = new URL(config.GOOGLE_AUTH_URL);
      const query = {
        client_id: id,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        access_type: 'offline',
        // Without it, Google gives a refresh token only at the first consent.
        prompt: 'consent',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    canReadMail: (scopes) => scopes.some((scope) => scope === mailScope || moreScopes.includes(scope)),
    profileUrl: config.GOOGLE_USERINFO_URL,
    readProfile,
    // They have the names of the profile.
    readClaims: readProfile,
  };
}

function readProfile(json: Readonly<Record<string, unknown>>): Profile | undefined {
  const username = textOf(json.email);
  if (username === undefined || json.email_verified === false) return undefined;
  const userId = textOf(json.sub) ?? textOf(json.id) ?? username;
  return { userId, username, displayName: textOf(json.name) ?? '' };
}
