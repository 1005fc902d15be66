import { Lazy } from '@agentmesh/lib/wait';
import type { MailAccounts } from './mail-accounts.ts';
import type { MailAccount, Provider } from '../../provider.ts';
import type { ProviderError } from './provider-error.ts';
import { type Connections, open, type ProviderAnswer, type ProviderRequest, readAnswer, readChunks } from './send.ts';

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
  /**
   * Like `call`, for an answer of any length: its bytes are returned while they arrive. They have to be read to the end, or the iteration left.
   * `maxBytes` counts only for answers that are not 2xx.
   */
  stream(mailAccount: MailAccount, request: ProviderRequest): Promise<AsyncGenerator<Uint8Array, void>>;
}

/** Most connections to the provider. */
const mostConnections = 64;

/** Creates a client with connections of its own. Disposing it closes them. */
export function createProviderClient(options: ProviderClientOptions): ProviderClient {
  const { provider, baseUrl, mailAccounts, toError } = options;
  const connections = new Lazy(openConnections, ({ dispatcher }) => dispatcher.destroy());
  const tokenOf = async (mailAccount: MailAccount, fresh: boolean) =>
    (await mailAccounts.accessToken(provider, mailAccount, { fresh })).accessToken;
  const openAuthorized = async (mailAccount: MailAccount, request: ProviderRequest, accessToken?: string) => {
    const first = accessToken ?? (await tokenOf(mailAccount, false));
    const send = (accessToken: string) => open(request, { baseUrl, connections, accessToken });
    const response = await send(first);
    if (response.status !== 401) return response;
    await response.body?.cancel();
    return send(await tokenOf(mailAccount, true));
  };
  return {
    call: async (mailAccount, request, accessToken) => {
      const response = await openAuthorized(mailAccount, request, accessToken);
      const answer = await readAnswer(response, request);
      if (!response.ok) throw toError(answer);
      return answer;
    },
    stream: async (mailAccount, request) => {
      const response = await openAuthorized(mailAccount, request);
      if (!response.ok) throw toError(await readAnswer(response, request));
      return readChunks(response, request);
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/** undici is loaded with the first call. */
async function openConnections(): Promise<Connections> {
  const { Agent, fetch } = await import('undici');
  return { fetch, dispatcher: new Agent({ connections: mostConnections, connect: { timeout: 10_000 } }) };
}
