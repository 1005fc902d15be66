import { requestJson } from '../reply.ts';
import { profileRefused, providerUnavailable } from './errors.ts';
import type { MailProvider, Profile } from './providers/mail-provider.ts';
import { providerTimeoutMs, type Tokens } from './token-endpoint.ts';

/**
 * Asks the provider who the user is. When that fails, the claims of the OpenID token count. Throws `mail_provider_unavailable` and
 * `mail_profile_refused`.
 */
export async function readProfile(provider: MailProvider, { accessToken, claims }: Tokens): Promise<Profile> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const reply = await requestJson(provider.profileUrl, { headers }, signal).catch(() => undefined);
  const { status, json } = reply ?? {};
  const isAnswered = status === 200 && json !== undefined;
  const profile = isAnswered ? provider.readProfile(json) : provider.readClaims(claims);
  if (profile !== undefined) return profile;
  const isAway = status === undefined || status === 429 || status >= 500;
  throw isAway ? providerUnavailable(provider.word) : profileRefused(provider.word);
}
