import { Agent } from 'undici';
import type { MailAccounts } from './mail-accounts.ts';
import type { MailAccount, Provider } from './provider.ts';
import type { ProviderError } from './provider-error.ts';
import { type ProviderAnswer, type ProviderRequest, send } from './send.ts';

export interface ProviderClientOptions {
  readonly provider: Provider;
  /** Address of the provider without a trailing slash. */
  readonly baseUrl: string;
  readonly mailAccounts: MailAccounts;
  /** Turns an answer that is not 2xx into an error. */
  readonly toError: (answer: ProviderAnswer) => ProviderError;
}

/** Calls one provider for any mail account. */
export interface ProviderClient extends AsyncDisposable {
  /**
   * Sends a request with an access token of the mail account, or with `accessToken`. When the provider refuses the token, a fresh one is
   * made and the request is sent once more. Throws ProviderError for an answer that is not 2xx and when there is none.
   */
  call(mailAccount: MailAccount, request: ProviderRequest, accessToken?: string): Promise<ProviderAnswer>;
}

/** Most connections to the provider. */
const mostConnections = 64;

/** Creates a client with connections of its own. Disposing it closes them. */
export function createProviderClient(options: ProviderClientOptions): ProviderClient {
  const { provider, baseUrl, mailAccounts, toError } = options;
  const dispatcher = new Agent({ connections: mostConnections, connect: { timeout: 10_000 } });
  const tokenOf = async (mailAccount: MailAccount, fresh: boolean) =>
    (await mailAccounts.accessToken(provider, mailAccount, { fresh })).accessToken;
  return {
    call: async (mailAccount, request, accessToken) => {
      const first = accessToken ?? (await tokenOf(mailAccount, false));
      let answer = await send(request, { baseUrl, dispatcher, accessToken: first });
      if (answer.status === 401) {
        const second = await tokenOf(mailAccount, true);
        answer = await send(request, { baseUrl, dispatcher, accessToken: second });
      }
      if (answer.status < 200 || answer.status > 299) throw toError(answer);
      return answer;
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}
