import { multitaskNames } from '@agentmesh/proto/multitask';
import { Type, type Static } from 'typebox';
import { Content } from '../edge/records/content.ts';
import { freeForm, maybe, stateMap, storedId, strict } from '../edge/records/keywords.ts';
import { noNul } from '../edge/validation/index.ts';
import { RunWebhookRequest } from './webhooks/webhook-record.ts';

const record = {
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
  anyOf: [{ required: ['newMessage'] }, { required: ['invocationId'] }],
} as const;

/** Message to an app's agent. Either `newMessage` or `invocationId` is required. */
const RunAgentRequest = Type.Object(
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

const ownApp = { appName: storedId({ 'x-blank-is-missing': true }) };
const ofNamedApp = { ...record, required: ['userId', 'sessionId', 'appName'] } as const;

const RunNamedAgentRequest = Type.Object({ ...RunAgentRequest.properties, ...ownApp }, ofNamedApp);

/** Record of a run. `appName` is optional if a default app is set. */
export function runAgentRequest(defaultApp: string | undefined) {
  return Type.Unsafe<RunAgentRequest>(defaultApp === undefined ? RunNamedAgentRequest : RunAgentRequest);
}

const webhook = { webhook: Type.Optional(RunWebhookRequest) };
const StartRunRequest = Type.Object(
  { ...RunAgentRequest.properties, ...webhook },
  { ...record, ...strict, title: 'StartRunRequest', required: ['userId', 'sessionId'] },
);
type StartRunRequest = Static<typeof StartRunRequest>;

const StartNamedRunRequest = Type.Object(
  { ...RunAgentRequest.properties, ...webhook, ...ownApp },
  { ...ofNamedApp, ...strict, title: 'StartRunRequest' },
);

/** Record of a run in the background, which may have a webhook. `appName` is optional if a default app is set. */
export function startRunRequest(defaultApp: string | undefined) {
  return Type.Unsafe<StartRunRequest>(defaultApp === undefined ? StartNamedRunRequest : StartRunRequest);
}
