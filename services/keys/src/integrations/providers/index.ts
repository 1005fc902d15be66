import type { Config } from '../../config.ts';
import type { ProviderWord } from '../../store/integrations.ts';
import { providerNotConfigured } from '../errors.ts';
import { createGoogle } from './google.ts';
import type { MailProvider, MailProviders } from './mail-provider.ts';
import { createMicrosoft } from './microsoft.ts';

export {
  type MailProvider,
  type MailProviders,
  type Profile,
  providerEnum,
  providerWord,
} from './mail-provider.ts';

/** All providers, also those that are not configured. */
export function createMailProviders(config: Config): MailProviders {
  return { microsoft: createMicrosoft(config), google: createGoogle(config) };
}

/** A provider that is configured. Throws `mail_provider_not_configured`. */
export function configuredProvider(providers: MailProviders, word: ProviderWord): MailProvider {
  const provider = providers[word];
  if (provider.missing.length > 0) throw providerNotConfigured(provider.missing);
  return provider;
}
