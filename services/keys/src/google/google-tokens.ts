import type { Logger } from '@agentmesh/lib/telemetry';
import type { GoogleAuth } from 'google-auth-library';
import { credentialRefused, notConfigured } from '../errors.ts';
import type { TokenSource } from './token-source.ts';

const options = {
  scopes: ['https://www.googleapis.com/auth/cloud-platform'],
  // No call of ours needs it. Without one the library runs the program `gcloud` and asks the metadata server for it.
  projectId: 'unused',
};

/**
 * Tokens of the credential that Google's library finds: the file that GOOGLE_APPLICATION_CREDENTIALS names, or the metadata server
 * of the machine. The library is loaded with the first token and keeps a token until shortly before it expires.
 */
export function createGoogleTokens(log: Logger): TokenSource {
  let auth: Promise<GoogleAuth> | undefined;
  const clientOf = async () => {
    auth ??= import('google-auth-library').then(({ GoogleAuth: Auth }) => new Auth(options));
    return (await auth).getClient();
  };
  return {
    async accessToken() {
      const client = await clientOf().catch((error: unknown) => {
        log.warn({ reason: textOf(error) }, 'there is no Google credential');
        throw notConfigured(new Error(textOf(error)));
      });
      const { token } = await client.getAccessToken().catch((error: unknown) => {
        log.warn({ reason: textOf(error) }, 'Google gives no access token');
        throw credentialRefused(new Error(textOf(error)));
      });
      if (!token) throw credentialRefused();
      return token;
    },
  };
}

/** All that may be logged: the error itself holds the request, with an assertion that is signed with our key. */
function textOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : 'unknown';
}
