/** Where a provider is asked and as whom: from the settings, or for one call alone. */
export interface Endpoint {
  /** As the provider's setting wants it, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Which of OpenAI's wire forms is spoken; chat completions when absent. */
  readonly openAiApi?: 'chat' | 'responses';
  /** What requests go through; the plain one of the platform when absent. */
  readonly fetch?: typeof globalThis.fetch;
}
