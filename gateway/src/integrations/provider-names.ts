import { MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import { BadRequest, HttpError } from '../edge/errors/request-error.ts';

/** The words that clients use for providers. */
const providers: ReadonlyMap<string, MailProvider> = new Map([
  ['microsoft_outlook', MailProvider.MICROSOFT],
  ['vendora_mail', MailProvider.MICROSOFT],
  ['google_gmail', MailProvider.GOOGLE],
  ['vendorb_mail', MailProvider.GOOGLE],
]);

/** The provider of a path. Throws 404 for an unknown word. */
export function providerOf(word: string): MailProvider {
  const provider = providers.get(word);
  if (provider === undefined) throw new HttpError(404, `Unknown provider: ${word}`);
  return provider;
}

/** A service of a provider, as the client named it. Throws 400 for a word of another provider. */
export function serviceOf(provider: MailProvider, word: string): string {
  if (providers.get(word) !== provider) throw new BadRequest(`Unknown service: ${word}`);
  return word;
}
