import { multitaskNames } from '@agentmesh/proto/multitask';
import { Type, type Static } from 'typebox';
import { Content } from '../edge/records/content.ts';
import { freeForm, maybe, stateMap, storedId } from '../edge/records/keywords.ts';
import { noNul } from '../edge/validation/index.ts';

/** Texts of the record, which that of a run in the background has too. */
export const record = {
  title: 'RunAgentRequest',
  examples: [
    {
      appName: 'echo',
      userId: 'user',
      sessionId: 's1',
      streaming: true,
      newMessage: { role: 'user', parts: [{ text: 'Hello, mesh' }] },
    },
  ],
  description: 'Either `newMessage` or `invocationId` is required.',
  'x-one-of': ['newMessage', 'invocationId'],
} as const;

/** Message to an app's agent. Either `newMessage` or `invocationId` is required. */
export const RunAgentRequest = Type.Object(
  {
    userId: storedId(),
    sessionId: storedId(),
    appName: maybe(storedId()),
    newMessage: maybe(Content),
    streaming: Type.Boolean({ default: false }),
    stateDelta: maybe(stateMap()),
    functionCallEventId: maybe(Type.String()),
    invocationId: maybe(Type.String({ pattern: noNul, maxLength: 256 })),
    customMetadata: maybe(freeForm()),
    serviceTier: maybe(
      Type.String({ description: 'Tier of ADK’s models with an interactions API. It has no effect here.' }),
    ),
    onDisconnect: maybe(
      Type.Enum(['continue', 'cancel'], {
        description:
          'Whether the run goes on when the client leaves. Without it the header `X-On-Disconnect` decides, then the app; `continue` if none does.',
      }),
    ),
    multitask: maybe(
      Type.Enum(multitaskNames, {
        description:
          'What happens when another run of the session is not over. `enqueue`: the run waits behind those that wait already. `reject`: it is ' +
          'answered 409. `interrupt`: the running one ends as `interrupted` with its text so far, and this one comes next, before those that wait. ' +
          '`rollback`: the same, and the turn of the running one is rewound: agents do not see its events, and state and artifacts are as without them. ' +
          'Without it the app decides; `enqueue` if it says nothing.',
      }),
    ),
  },
  { ...record, required: ['userId', 'sessionId'] },
);
export type RunAgentRequest = Static<typeof RunAgentRequest>;

/** Fields of a record without a default app. */
export const ownApp = { appName: storedId({ 'x-blank-is-missing': true }) };
export const ofNamedApp = { ...record, required: ['userId', 'sessionId', 'appName'] } as const;

const RunNamedAgentRequest = Type.Object({ ...RunAgentRequest.properties, ...ownApp }, ofNamedApp);

/** Record of a run. `appName` is optional if a default app is set. */
export function runAgentRequest(defaultApp: string | undefined) {
  return Type.Unsafe<RunAgentRequest>(defaultApp === undefined ? RunNamedAgentRequest : RunAgentRequest);
}
