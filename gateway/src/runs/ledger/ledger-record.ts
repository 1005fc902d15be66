import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { Type } from 'typebox';
import { encodeJson, joinBytes } from '../../edge/json/json-bytes.ts';
import { freeForm } from '../../edge/records/keywords.ts';

const statuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted'] as const;
type StatusName = (typeof statuses)[number];

export const Status = Type.Enum(statuses);

/** Statuses by their public names. */
export const statusOf: Readonly<Record<StatusName, RunStatus>> = {
  queued: RunStatus.QUEUED,
  running: RunStatus.RUNNING,
  waiting: RunStatus.WAITING,
  completed: RunStatus.COMPLETED,
  failed: RunStatus.FAILED,
  cancelled: RunStatus.CANCELLED,
  interrupted: RunStatus.INTERRUPTED,
};

const names = new Map(statuses.map((name) => [statusOf[name], name]));

const seconds = (description: string) => Type.Number({ description: `${description}, in Unix seconds.` });

const count = (description: string) => Type.Optional(Type.Integer({ description }));

const RunUsage = Type.Object(
  {
    promptTokenCount: count('Input tokens, cached ones included.'),
    cachedContentTokenCount: count('Input tokens from the cache of the provider.'),
    candidatesTokenCount: count('Output tokens.'),
    thoughtsTokenCount: count('Output tokens of thoughts.'),
    toolUsePromptTokenCount: count('Input tokens of results of tools that the provider ran.'),
    totalTokenCount: count('All tokens.'),
    modelCalls: Type.Integer({ description: 'Answers of models.' }),
  },
  {
    title: 'RunUsage',
    description:
      'Sums of the UsageMetadata of the run’s events, of attempts that have ended. `/api/usage` has the cost.',
  },
);

const WaitingCall = Type.Object(
  {
    functionCallId: Type.String(),
    name: Type.String(),
    args: Type.Optional(freeForm()),
    eventId: Type.String({ description: 'The event that made the call.' }),
  },
  { title: 'WaitingCall' },
);

/** A run of the ledger. Fields without a value are absent. */
export const Run = Type.Object(
  {
    invocationId: Type.String(),
    appName: Type.String(),
    userId: Type.String(),
    sessionId: Type.String(),
    status: Status,
    queuePosition: Type.Optional(
      Type.Integer({ description: 'Place in the queue of the session, from 1, at most 1000; only while queued.' }),
    ),
    attempt: Type.Integer({ description: 'Number of the latest attempt; 0 before the first one.' }),
    createTime: seconds('Acceptance'),
    startTime: Type.Optional(seconds('Begin of the latest attempt')),
    endTime: Type.Optional(seconds('End of the latest attempt')),
    model: Type.Optional(Type.String({ description: 'The model that answered last, as it calls itself.' })),
    usage: Type.Optional(RunUsage),
    errorCode: Type.Optional(Type.String()),
    errorMessage: Type.Optional(Type.String()),
    customMetadata: Type.Optional(freeForm()),
    waitingFor: Type.Optional(
      Type.Array(WaitingCall, {
        description:
          'Function calls whose answers continue the run; only while waiting. Without `args` when these have more than 32 KiB together.',
      }),
    ),
  },
  { title: 'Run', description: 'A run of an agent: one user message and everything that the agent did with it.' },
);

/** A run as public JSON. Fields that the ledger keeps as JSON are sent as the bytes that were stored. */
export function runJson(run: LedgerRun): Uint8Array {
  const head = encodeJson({
    invocationId: run.invocationId,
    appName: run.appName,
    userId: run.userId,
    sessionId: run.sessionId,
    status: names.get(run.status),
    ...(run.queuePosition > 0 && { queuePosition: run.queuePosition }),
    attempt: run.attempt,
    createTime: run.createTime,
    ...(run.startTime > 0 && { startTime: run.startTime }),
    ...(run.endTime > 0 && { endTime: run.endTime }),
    ...(run.model !== '' && { model: run.model }),
    ...(run.errorCode !== '' && { errorCode: run.errorCode }),
    ...(run.errorMessage !== '' && { errorMessage: run.errorMessage }),
  });
  const stored = [
    ['usage', run.usageJson],
    ['customMetadata', run.customMetadataJson],
    ['waitingFor', run.waitingForJson],
  ] as const;
  const fields = stored.filter(([, json]) => json.length > 0);
  if (fields.length === 0) return head;
  const texts = fields.flatMap(([name, json]) => [Buffer.from(`,"${name}":`), json]);
  return joinBytes([head.subarray(0, -1), ...texts, Buffer.from('}')]);
}
