import { flag, positiveInteger } from '@agentmesh/lib/service';
import { EnvError, makeValidator } from 'envalid';
import { embeddingSettings } from './embeddings/settings.ts';
import { type Language, languages } from './text/languages.ts';

const language = makeValidator<Language>((input) => {
  const found = languages.find((one) => one === input.trim().toLowerCase());
  if (found === undefined) throw new EnvError(`must be one of ${languages.join(', ')}`);
  return found;
});

/** Settings of the service; see docs/settings.md. */
export const settings = {
  MEMORY_ENABLED: flag({ default: true }),
  /** Language of texts whose stop words do not show their language. */
  MEMORY_LANGUAGE: language({ default: 'english' }),
  /** Entries of all memories of one account. */
  MEMORY_ACCOUNT_MAX_ENTRIES: positiveInteger({ default: 10_000_000 }),
  ...embeddingSettings,
};
