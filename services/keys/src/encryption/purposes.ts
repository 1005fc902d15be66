/** Purposes for which wrapping keys are derived. A purpose never changes, because stored envelopes depend on it. */
export const purposes = {
  savedKeys: 'saved keys',
  integrations: 'integrations',
  signing: 'signing secrets',
  headers: 'headers of agents',
} as const;
