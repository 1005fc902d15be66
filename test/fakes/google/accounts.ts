import { type Call, type Grant, insist, type Reply, type Route, type TokenRefusal } from '../upstream/index.ts';
import { googleError } from './google-error.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { World } from './world.ts';

/** Routes of Google's sign-in: consent page, tokens, published keys, profile. */
export function accountRoutes(world: World, keys: SigningKeys): Route[] {
  return [
    { method: 'GET', path: /^\/o\/oauth2\/v2\/auth$/, serve: ({ query }) => authorize(world, query) },
    { method: 'POST', path: /^\/token$/, serve: (call) => token(world, keys, formOf(call)) },
    {
      method: 'POST',
      path: /^\/revoke$/,
      serve: (call) => {
        const token = call.query.get('token') ?? formOf(call).get('token') ?? '';
        const isKnown = world.authorization.revokeToken(token);
        return isKnown ? { status: 200, body: {} } : refuse(400, 'invalid_token', 'Token expired or revoked');
      },
    },
    {
      method: 'GET',
      path: /^\/oauth2\/v3\/certs$/,
      serve: () => ({ status: 200, body: keys.published(), headers: { 'cache-control': 'public, max-age=19000' } }),
    },
    // The same keys as Google's own Node client reads them.
    { method: 'GET', path: /^\/oauth2\/v1\/certs$/, serve: () => ({ status: 200, body: keys.publishedAsPem() }) },
    { method: 'GET', path: /^\/v1\/userinfo$/, serve: (call) => userinfo(world, call) },
  ];
}

function authorize(world: World, query: URLSearchParams): Reply {
  const page = (why: string) => (): Reply => ({ status: 400, body: `<html>Error 400: ${why}</html>` });
  const redirectUri = query.get('redirect_uri') ?? '';
  insist(query.get('client_id') === world.client.id, page('invalid_client'));
  insist(query.get('response_type') === 'code', page('unsupported_response_type'));
  insist(URL.canParse(redirectUri), page('redirect_uri_mismatch'));
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
  insist(scopes.length > 0, page('invalid_scope'));
  const challenge = query.get('code_challenge') ?? undefined;
  insist(challenge === undefined || query.get('code_challenge_method') === 'S256', page('code_challenge_method'));
  const mailbox = world.mailboxes.get(query.get('login_hint') ?? '');
  insist(mailbox !== undefined, page('the user is unknown'));
  const target = new URL(redirectUri);
  target.searchParams.set('state', query.get('state') ?? '');
  if (query.get('fake_decision') === 'deny') target.searchParams.set('error', 'access_denied');
  else {
    const { user } = mailbox;
    // A user who has consented before gives another refresh token only when asked again.
    const isAsked = query.get('prompt')?.includes('consent') === true || !world.consented.has(user.address);
    const offline = query.get('access_type') === 'offline' && isAsked;
    world.consented.add(user.address);
    target.searchParams.set('code', world.authorization.issueCode({ user, scopes, redirectUri, challenge, offline }));
    target.searchParams.set('scope', scopes.join(' '));
  }
  return { status: 302, headers: { location: target.href } };
}

function formOf({ headers, body }: Call): URLSearchParams {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  insist(isForm, () => refuse(400, 'invalid_request', 'Missing required parameter: grant_type'));
  return new URLSearchParams(body);
}

function token(world: World, keys: SigningKeys, form: URLSearchParams): Reply {
  const grantType = form.get('grant_type');
  const isCode = grantType === 'authorization_code';
  insist(isCode || grantType === 'refresh_token', () =>
    refuse(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType}`),
  );
  const outcome = isCode ? world.authorization.redeem(form) : world.authorization.refresh(form);
  if (typeof outcome === 'string') return refusals[outcome];
  const { scopes, accessToken, refreshToken, expiresIn } = outcome;
  const body = {
    access_token: accessToken,
    expires_in: expiresIn - 1,
    scope: scopes.join(' '),
    token_type: 'Bearer',
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(scopes.includes('openid') && { id_token: keys.sign(claimsOf(world, outcome)) }),
  };
  return { status: 200, body, headers: { 'cache-control': 'no-store' } };
}

function claimsOf(world: World, { user, expiresIn }: Grant): object {
  const iat = Math.floor(world.clock.now().getTime() / 1000);
  const identity = { sub: user.id, email: user.address, email_verified: true, name: user.name };
  return {
    iss: 'https://accounts.google.com',
    aud: world.client.id,
    azp: world.client.id,
    ...identity,
    iat,
    exp: iat + expiresIn,
  };
}

const refusals: Readonly<Record<TokenRefusal, Reply>> = {
  client: refuse(401, 'invalid_client', 'Unauthorized'),
  code_unknown: refuse(400, 'invalid_grant', 'Malformed auth code.'),
  code_expired: refuse(400, 'invalid_grant', 'Bad Request'),
  redirect_uri: refuse(400, 'redirect_uri_mismatch', 'Bad Request'),
  verifier: refuse(400, 'invalid_grant', 'Invalid code verifier.'),
  refresh_unknown: refuse(400, 'invalid_grant', 'Bad Request'),
  refresh_expired: refuse(400, 'invalid_grant', 'Token has been expired or revoked.'),
  refresh_revoked: refuse(400, 'invalid_grant', 'Token has been expired or revoked.'),
};

function refuse(status: number, error: string, description: string): Reply {
  return { status, body: { error, error_description: description }, headers: { 'cache-control': 'no-store' } };
}

function userinfo(world: World, { headers }: Call): Reply {
  const bearer = world.authorization.bearer(headers.authorization);
  insist(typeof bearer === 'object', () => googleError(401, 'authError', 'Invalid Credentials'));
  const { user, scopes } = bearer;
  insist(scopes.includes('openid'), () => googleError(403, 'insufficientPermissions', 'Insufficient Permission'));
  const email = scopes.includes('email') && { email: user.address, email_verified: true };
  return { status: 200, body: { sub: user.id, name: user.name, ...email } };
}
