import type { ProviderError } from '../provider/provider-error.ts';

/** Headers of delta queries. */
export const graphHeaders = { prefer: 'IdType="ImmutableId", odata.maxpagesize=100' };

/** Whether Microsoft has forgotten the place of a delta link, or refuses it for good. */
export function isDeadLink({ kind }: ProviderError): boolean {
  return kind === 'gone' || kind === 'rejected';
}
