/** A provider as it is stored. */
export type ProviderWord = 'microsoft' | 'google';
