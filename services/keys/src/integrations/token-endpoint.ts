import type { Logger } from '@agentmesh/lib/telemetry';
import { type Reply, requestJson } from '../reply.ts';
import type { MailProvider } from './providers/mail-provider.ts';

/** Time limit of a request to a provider. */
export const providerTimeoutMs = 10_000;

export interface Tokens {
  readonly accessToken: string;
  /** Undefined: the one that was sent stays valid. */
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number;
  /** Undefined: those that were asked for. */
  readonly scopes: readonly string[] | undefined;
  /** Claims of the OpenID token; empty when there is none. The connection to the token endpoint vouches for them. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/**
 * Tells who can resolve a refusal of tokens: the user, the operator, or nobody (`time`: a later call may succeed). `empty`: a success without
 * a token.
 */
export type TokenRefusal = 'user' | 'operator' | 'time' | 'empty';

/** Errors of the user's consent; a new consent resolves them (RFC 6749 5.2, OpenID Connect Core 3.1.2.6). */
const userErrors = new Set(['invalid_grant', 'interaction_required', 'consent_required', 'login_required']);
/** Errors of the client's registration; only the operator can resolve them. */
const operatorErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'invalid_request',
  'invalid_resource',
  'unsupported_grant_type',
  'redirect_uri_mismatch',
  'deleted_client',
  'disabled_client',
  'org_internal',
  'admin_policy_enforced',
]);
/** Numbers of Microsoft that say more than `error`: the secret is wrong or expired, the application or the tenant is unknown. */
const operatorNumbers = new Set([7_000_215, 7_000_222, 7_000_218, 700_016, 90_002]);
/** Error numbers of Microsoft for a temporary fault of its service. */
const timeNumbers = new Set([90_033, 90_038]);

/** Life in seconds of an access token whose life the provider does not tell. The callers replace a token that is refused. */
const unknownLifeSeconds = 600;

interface TokenRequest {
  readonly provider: MailProvider;
  /** Form fields, without the client's credentials. */
  readonly form: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** Asks the token endpoint once. It does not depend on the caller: an answer may rotate the refresh token and must not be missed. */
export async function requestTokens({ provider, form, log }: TokenRequest): Promise<Tokens | TokenRefusal> {
  const { id, secret } = provider.client;
  const body = new URLSearchParams({ ...form, client_id: id, client_secret: secret });
  const init = { method: 'POST', body, headers: { accept: 'application/json' } };
  const reply = await requestJson(provider.tokenUrl, init, AbortSignal.timeout(providerTimeoutMs)).catch(
    (): Reply => ({ status: undefined, json: undefined, retryAfter: null }),
  );
  const tokens = reply.status === 200 ? readTokens(reply.json) : undefined;
  if (tokens !== undefined) return tokens;
  const refusal = refusalOf(reply);
  log.warn({ provider: provider.word, ...shown(reply), refusal }, 'the mail provider gives no token');
  return refusal;
}

function readTokens(json: Reply['json'] = {}): Tokens | undefined {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: life, scope, id_token: idToken } = json;
  if (typeof accessToken !== 'string' || accessToken === '') return undefined;
  const seconds = Number(life);
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    expiresInSeconds: seconds > 0 ? Math.min(seconds, 86_400) : unknownLifeSeconds,
    scopes: typeof scope === 'string' ? scope.split(' ').filter((it) => it !== '') : undefined,
    claims: typeof idToken === 'string' ? readClaims(idToken) : {},
  };
}

function readClaims(idToken: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? { ...claims } : {};
  } catch {
    return {};
  }
}

function refusalOf({ status, json }: Reply): TokenRefusal {
  if (status === undefined || status === 429 || status >= 500) return 'time';
  if (status === 200) return 'empty';
  const numbers = numbersOf(json);
  if (numbers.some((number) => operatorNumbers.has(number))) return 'operator';
  if (numbers.some((number) => timeNumbers.has(number))) return 'time';
  const error = typeof json?.error === 'string' ? json.error : '';
  if (userErrors.has(error)) return 'user';
  return operatorErrors.has(error) ? 'operator' : 'time';
}

function numbersOf(json: Reply['json']): number[] {
  const numbers: unknown = json?.error_codes;
  return Array.isArray(numbers) ? numbers.filter((it): it is number => typeof it === 'number') : [];
}

/** Returns the fields of a refusal that may be logged. Descriptions are left out, because they may quote tokens and addresses. */
function shown({ status, json }: Reply): object {
  const error = typeof json?.error === 'string' && /^[\w.-]{1,64}$/.test(json.error) ? json.error : undefined;
  return { status, error, errorCodes: numbersOf(json).slice(0, 8) };
}
