import Type from 'typebox';

const texts = Type.Unsafe<Record<string, string>>(Type.Object({}, { additionalProperties: Type.String() }));

/** Keys of an agent that runs elsewhere: those of ADK's `RemoteA2aAgent`, and those that say what is sent with each request. */
export const remoteKeys = {
  /** Address of the agent's card. */
  agent_card: Type.String({ minLength: 1 }),
  /** Seconds for one answer. */
  timeout: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_600 })),
  headers: Type.Optional(texts),
  /** Header by key of the session's state. */
  state_header_mapping: Type.Optional(texts),
  /** `saved:apikey7`: sent as bearer token. */
  api_key: Type.Optional(Type.String()),
};
