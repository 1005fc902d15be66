import type { Config } from '../../config.ts';
import { type MailProvider, textOf } from './mail-provider.ts';

const mailScope = 'Mail.Read';
/** Scopes that permit to read mail, in lower case. */
const readScopes = ['mail.read', 'mail.readwrite'];
/** Microsoft also answers scopes with the address of Graph before them. */
const graphPrefix = 'https://graph.microsoft.com/';

/** Outlook mail: OAuth of the Microsoft identity platform, and the profile of Graph. */
export function createMicrosoft(config: Config): MailProvider {
  const { MICROSOFT_CLIENT_ID: id = '', MICROSOFT_CLIENT_SECRET: secret = '' } = config;
  const tenant = `${config.MICROSOFT_LOGIN_BASE_URL}/${encodeURIComponent(config.MICROSOFT_TENANT)}/oauth2/v2.0`;
  const scope = `offline_access openid profile email User.Read ${mailScope}`;
  return {
    word: 'microsoft',
    missing: [...(id === '' ? ['MICROSOFT_CLIENT_ID'] : []), ...(secret === '' ? ['MICROSOFT_CLIENT_SECRET'] : [])],
    tokenUrl: `${tenant}/token`,
    client: { id, secret },
    scope,
    refreshScope: `offline_access User.Read ${mailScope}`,
    consentUrl: ({ redirectUri, state, challenge }) => {
      const query = new URLSearchParams({
        client_id: id,
        response_type: 'code',
        response_mode: 'query',
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        prompt: 'select_account',
      });
      return `${tenant}/authorize?${query.toString()}`;
    },
    canReadMail: (scopes) => scopes.some((it) => readScopes.includes(it.toLowerCase().replace(graphPrefix, ''))),
    profileUrl: `${config.MICROSOFT_GRAPH_BASE_URL}/v1.0/me?$select=id,displayName,mail,userPrincipalName`,
    readProfile: (json) => {
      const username = textOf(json.mail) ?? textOf(json.userPrincipalName);
      if (username === undefined) return undefined;
      const userId = textOf(json.id) ?? username;
      return { userId, username, displayName: textOf(json.displayName) ?? '' };
    },
    readClaims: (claims) => {
      const username = textOf(claims.email) ?? textOf(claims.preferred_username);
      if (username === undefined || !username.includes('@')) return undefined;
      const userId = textOf(claims.oid) ?? textOf(claims.sub) ?? username;
      return { userId, username, displayName: textOf(claims.name) ?? '' };
    },
  };
}
