import { Type } from 'typebox';
import { Content } from '../../edge/records/content.ts';
import { maybe, stateMap, storedId } from '../../edge/records/keywords.ts';

const agent_name = storedId({
  'x-blank-is-missing': true,
  description: 'The app: `agent<N>`, or a name of `/list-apps`.',
});
const user_id = storedId({ description: 'User of the session.' });
const session_id = storedId({ 'x-blank-is-missing': true });

export const CreateAdkSession = Type.Object(
  { agent_name, user_id, session_id, data: maybe(stateMap()) },
  {
    title: 'CreateAdkSessionRequest',
    required: ['agent_name', 'user_id', 'session_id'],
    examples: [{ agent_name: 'echo', user_id: 'user', session_id: 'session_1' }],
  },
);

export const RunAdkAgent = Type.Object(
  {
    agent_name,
    user_id,
    session_id,
    run_mode: maybe(Type.String({ description: 'Accepted and not used.' })),
    streaming: Type.Boolean({ default: false }),
    new_message: Content,
  },
  {
    title: 'RunAdkAgentRequest',
    required: ['agent_name', 'user_id', 'session_id', 'new_message'],
    examples: [
      {
        agent_name: 'echo',
        user_id: 'user',
        session_id: 'session_1',
        run_mode: 'run_sse',
        streaming: true,
        new_message: { role: 'user', parts: [{ text: 'Hello, mesh' }] },
      },
    ],
  },
);

export const AdkSessionPath = Type.Object({
  app_name: storedId({ examples: ['echo'], description: 'The app: `agent<N>`, or a name of `/list-apps`.' }),
  user_id: storedId({ examples: ['user'] }),
  session_id: storedId({ examples: ['session_1'] }),
});

export const AdkSession = Type.Object(
  {
    id: Type.String(),
    appName: Type.String(),
    userId: Type.String(),
    state: Type.Object({}, { additionalProperties: true }),
    events: Type.Array(Type.Unknown()),
    lastUpdateTime: Type.Number(),
  },
  { title: 'AdkSession' },
);

export const AdkMessages = Type.Object(
  {
    messages: Type.Array(
      Type.Object({
        role: Type.String({ description: '`user` or `assistant`.' }),
        content: Type.String(),
        timestamp: Type.Number({ description: 'Unix time in seconds.' }),
        thinking: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: 'AdkMessages' },
);
