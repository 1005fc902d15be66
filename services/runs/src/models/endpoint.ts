/** Address and credentials of a provider: from the settings, or for a single call. */
export interface Endpoint {
  /** The address, with or without a version as the provider's setting says, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Which of OpenAI's wire forms is spoken; chat completions when absent. */
  readonly openAiApi?: 'chat' | 'responses';
  /** Account that look-ups of names and answers count for. */
  readonly accountId?: string | undefined;
  /** Lets an answer that has begun go on, see `AccountSteps`. Absent: it does at once. */
  readonly step?: (() => Promise<void> | undefined) | undefined;
  /** Makes the requests; the platform's own fetch when absent. */
  readonly fetch?: typeof globalThis.fetch;
}
