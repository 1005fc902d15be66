import type { Provider } from '../../provider.ts';
import type { MailProvider, OpenedProvider, ProviderParts } from './mail-provider.ts';

/** The opened mail providers. */
export interface Providers {
  /** The words of callers for all providers, e.g. `google_gmail`. */
  readonly callerWords: readonly string[];
  /** The provider of a row. Throws when this release has no such provider. */
  of(word: Provider): OpenedProvider;
  /** The first provider that a test accepts. */
  find(test: (provider: OpenedProvider) => boolean): OpenedProvider | undefined;
}

export function providersOf(opened: readonly OpenedProvider[]): Providers {
  const byWord = new Map(opened.map((provider) => [provider.word, provider]));
  return {
    callerWords: opened.flatMap(({ callerWords }) => callerWords),
    of: (word) => {
      const found = byWord.get(word);
      if (found === undefined) throw new TypeError(`There is no mail provider "${word}".`);
      return found;
    },
    find: (test) => opened.find(test),
  };
}

export function openProviders(list: readonly MailProvider[], parts: ProviderParts): Providers {
  return providersOf(list.map((provider) => ({ ...provider, ...provider.open(parts) })));
}
