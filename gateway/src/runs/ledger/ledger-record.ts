import { runStatuses } from '@agentmesh/proto/run-record';
import { Type } from 'typebox';
import { freeForm } from '../../edge/records/keywords.ts';

export const Status = Type.Enum(runStatuses);

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
    toolCalls: count('Calls of tools; one that was approved counts once.'),
    seconds: Type.Optional(
      Type.Number({ description: 'Time in which attempts ran; of every run that has ended or waits.' }),
    ),
    cost: Type.Optional(
      Type.Number({
        description:
          'US dollars, estimated from the price list that `/api/usage` names, of all calls with a known price, also of those that tools made. Absent when there was none.',
      }),
    ),
    unpricedCalls: count('Calls of models on the network whose price or use is not known: `cost` leaves them out.'),
  },
  {
    title: 'RunUsage',
    description:
      'Sums of the UsageMetadata of the run’s events, of all attempts that have ended, and their cost. Of an attempt whose process died, what its stored events tell.',
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

const UnavailableTool = Type.Object(
  {
    name: Type.String({ description: 'The server of the tools.' }),
    reason: Type.String(),
  },
  { title: 'UnavailableTool' },
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
    agentVersion: Type.Optional(
      Type.String({
        description:
          'The version of the agent in the latest attempt that has ended: the number of an agent under `/api/agents`; for files, the first 12 hex digits of a SHA-256 ' +
          'of the app’s folder.',
      }),
    ),
    agentFilesTime: Type.Optional(seconds('Latest change of these files')),
    agentState: Type.Optional(
      Type.Enum(['stale'], {
        description:
          'The files have changed since that version and have mistakes: `/list-apps?detailed=true` has them.',
      }),
    ),
    unavailableTools: Type.Optional(
      Type.Array(UnavailableTool, { description: 'Sources of tools that the agent had to do without.' }),
    ),
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
    output: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'The last answer, when the run has ended or waits: a text, or the object or array that an agent with an `output_schema` answers. ' +
          '`{"truncated": true, "eventId"}` for one of more than 64 KiB. Only in the answers of `getRun` and `waitForRun`, and in messages of webhooks.',
      }),
    ),
    waitingOn: Type.Optional(
      Type.Enum(['model', 'keys', 'artifact', 'answer', 'lease', 'queue'], {
        description:
          'What the run waits for. `answer`: of a person or a long-running tool; `queue`: the run has not started; the others are told of a running run after ' +
          'some seconds, and may have ended up to six seconds ago. `lease`: its events cannot be stored, or its process is gone and no other one has taken it.',
      }),
    ),
    since: Type.Optional(seconds('Begin of the wait that `waitingOn` names')),
    answerBy: Type.Optional(seconds('While waiting: when the default answer is given, if none has come')),
  },
  { title: 'Run', description: 'A run of an agent: one user message and everything that the agent did with it.' },
);
