import { MailProvider as ProviderEnum } from '@agentmesh/proto/keys/v1/integrations';
import { keyRequestInvalid } from '../../errors.ts';
import type { ProviderWord } from '../../store/integrations.ts';

export interface ConsentPage {
  readonly redirectUri: string;
  readonly state: string;
  /** S256 challenge of PKCE. */
  readonly challenge: string;
}

/** The user of a mail account at the provider. */
export interface Profile {
  readonly userId: string;
  /** Address of the mailbox. */
  readonly username: string;
  readonly displayName: string;
}

/** Description of how a provider signs users in. */
export interface MailProvider {
  readonly word: ProviderWord;
  /** Settings that have no value; empty when the provider can be used. */
  readonly missing: readonly string[];
  readonly tokenUrl: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** The scopes that the consent page asks for, separated by blanks. */
  readonly scope: string;
  /** The scope that a refresh asks for; undefined when it asks for none. */
  readonly refreshScope?: string;
  /** Address of the consent page. */
  readonly consentUrl: (page: ConsentPage) => string;
  /** Whether mail can be read with these scopes. */
  readonly canReadMail: (scopes: readonly string[]) => boolean;
  readonly profileUrl: string;
  /** Reads the answer of `profileUrl`; undefined when it names no user with a mailbox. */
  readonly readProfile: (json: Readonly<Record<string, unknown>>) => Profile | undefined;
  /** Reads the claims of an OpenID token; undefined when they name no user with a mailbox. */
  readonly readClaims: (claims: Readonly<Record<string, unknown>>) => Profile | undefined;
}

export type MailProviders = Readonly<Record<ProviderWord, MailProvider>>;

const words: Readonly<Partial<Record<ProviderEnum, ProviderWord>>> = {
  [ProviderEnum.MICROSOFT]: 'microsoft',
  [ProviderEnum.GOOGLE]: 'google',
};

const enums: Readonly<Record<ProviderWord, ProviderEnum>> = {
  microsoft: ProviderEnum.MICROSOFT,
  google: ProviderEnum.GOOGLE,
};

/** The provider as it is stored. Throws `request_invalid` for none. */
export function providerWord(provider: ProviderEnum): ProviderWord {
  const word = words[provider];
  if (word === undefined) throw keyRequestInvalid('A provider is MICROSOFT or GOOGLE.');
  return word;
}

export function providerEnum(word: ProviderWord): ProviderEnum {
  return enums[word];
}

/** A text that is neither absent nor blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
