import { requestJson } from '../http/reply.ts';
import { profileRefused, providerUnavailable } from './errors.ts';
import type { MailProvider, Profile } from './providers/mail-provider.ts';
import { providerTimeoutMs } from './token-endpoint.ts';

/** Asks the provider who the user is. Throws `mail_provider_unavailable` and `mail_profile_refused`. */
export async function readProfile(provider: MailProvider, accessToken: string): Promise<Profile> {
  const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
  const signal = AbortSignal.timeout(providerTimeoutMs);
  const reply = await requestJson(provider.profileUrl, { headers }, signal).catch(() => undefined);
  const { status, json } = reply ?? {};
  if (status === undefined || status === 429 || status >= 500) throw providerUnavailable(provider.word);
  const profile = status === 200 && json !== undefined ? provider.readProfile(json) : undefined;
  if (profile === undefined) throw profileRefused(provider.word);
  return profile;
}
