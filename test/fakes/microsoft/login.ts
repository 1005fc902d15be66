import { type Grant, insist, type Reply, type Route, type TokenRefusal, unsignedToken } from '../upstream/index.ts';

import { tenantId, type World } from './world.ts';

/** Routes of `login.microsoftonline.com`: the consent page and the token endpoint. */
export function loginRoutes(world: World): Route[] {
  return [
    {
      method: 'GET',
      path: /^\/[\w.-]+\/oauth2\/v2\.0\/authorize$/,
      serve: ({ query }) => authorize(world, query),
    },
    {
      method: 'POST',
      path: /^\/[\w.-]+\/oauth2\/v2\.0\/token$/,
      serve: ({ headers, body }) => {
        const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
        insist(isForm, () => oauthError(400, 'invalid_request', 900144));
        return token(world, new URLSearchParams(body));
      },
    },
  ];
}

function authorize(world: World, query: URLSearchParams): Reply {
  const redirectUri = query.get('redirect_uri') ?? '';
  const refuse = (why: string) => (): Reply => ({ status: 400, body: `<html>AADSTS: ${why}</html>` });
  insist(query.get('client_id') === world.client.id, refuse('unknown client_id'));
  insist(query.get('response_type') === 'code', refuse('response_type'));
  insist(URL.canParse(redirectUri), refuse('redirect_uri'));
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
  insist(scopes.length > 0 && !scopes.some((scope) => scope.includes(',')), refuse('scope'));
  const challenge = query.get('code_challenge') ?? undefined;
  insist(challenge === undefined || query.get('code_challenge_method') === 'S256', refuse('code_challenge_method'));
  const mailbox = world.mailboxes.get(query.get('login_hint') ?? '');
  insist(mailbox !== undefined, refuse('the user is unknown'));
  const target = new URL(redirectUri);
  target.searchParams.set('state', query.get('state') ?? '');
  if (query.get('fake_decision') === 'deny') target.searchParams.set('error', 'access_denied');
  else {
    const consent = { user: mailbox.user, scopes, redirectUri, challenge, offline: scopes.includes('offline_access') };
    target.searchParams.set('code', world.authorization.issueCode(consent));
  }
  return { status: 302, headers: { location: target.href } };
}

function token(world: World, form: URLSearchParams): Reply {
  const grantType = form.get('grant_type');
  insist(!(form.get('scope') ?? '').includes(','), () => oauthError(400, 'invalid_scope', 70011));
  if (grantType === 'authorization_code') return answer(world, world.authorization.redeem(form));
  insist(grantType === 'refresh_token', () => oauthError(400, 'unsupported_grant_type', 70003));
  return answer(world, world.authorization.refresh(form));
}

function answer(world: World, outcome: Grant | TokenRefusal): Reply {
  if (typeof outcome === 'string') return refusals[outcome];
  const { user, scopes, accessToken, refreshToken, expiresIn } = outcome;
  const now = Math.floor(world.clock.now().getTime() / 1000);
  const claims = {
    aud: world.client.id,
    iss: `https://login.microsoftonline.com/${tenantId}/v2.0`,
    iat: now,
    nbf: now,
    exp: now + expiresIn,
    name: user.name,
    oid: user.id,
    preferred_username: user.address,
    sub: user.id,
    tid: tenantId,
    ver: '2.0',
  };
  const body = {
    token_type: 'Bearer',
    // `offline_access` is never named in the answer.
    scope: scopes.filter((scope) => scope !== 'offline_access').join(' '),
    expires_in: expiresIn,
    ext_expires_in: expiresIn,
    access_token: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(scopes.includes('openid') && { id_token: unsignedToken(claims) }),
  };
  return { status: 200, body, headers: { 'cache-control': 'no-store' } };
}

const refusals: Readonly<Record<TokenRefusal, Reply>> = {
  client: oauthError(401, 'invalid_client', 7000215),
  code_unknown: oauthError(400, 'invalid_grant', 54005),
  code_expired: oauthError(400, 'invalid_grant', 70008),
  redirect_uri: oauthError(400, 'invalid_grant', 500112),
  verifier: oauthError(400, 'invalid_grant', 501481),
  refresh_unknown: oauthError(400, 'invalid_grant', 9002313),
  refresh_expired: oauthError(400, 'invalid_grant', 700082),
  refresh_revoked: oauthError(400, 'invalid_grant', 50173),
};

/** An error answer of the token endpoint. `number` is the AADSTS number. */
export function oauthError(status: number, error: string, number: number): Reply {
  const id = '00000000-0000-4000-8000-000000000000';
  const body = {
    error,
    error_description: `AADSTS${number}: A text that says why, and that changes without notice. Trace ID: ${id}`,
    error_codes: [number],
    timestamp: '2026-11-21 01:00:00Z',
    trace_id: id,
    correlation_id: id,
    error_uri: `https://login.microsoftonline.com/error?code=${number}`,
  };
  return { status, body, headers: { 'cache-control': 'no-store' } };
}
