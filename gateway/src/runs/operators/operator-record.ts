import { Type } from 'typebox';
import { Status } from '../ledger/ledger-record.ts';

const seconds = (description: string) => Type.Number({ description: `${description}, in seconds.` });
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const parts = ['queue', 'model', 'keys', 'artifact', 'lease', 'agents'];

export const SlowQuery = Type.Object({
  minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      default: 15,
      description: 'Runs that were accepted in these last minutes.',
    }),
  ),
});

export const SlowAccount = Type.Object(
  {
    account_id: Type.String({ description: 'The account, as `uid` of its tokens.' }),
    email: nullable('Its e-mail address; null when it is deleted, or when the service of accounts does not answer.'),
    runs: Type.Integer({ description: 'Runs that were accepted in these minutes, and those that have not ended.' }),
    active: Type.Integer({ description: 'Those of them that have not ended.' }),
    failed: Type.Integer({ description: 'Those of them that have failed.' }),
    mean_seconds: seconds('Mean time of a run from its acceptance until its end or now'),
    longest_seconds: seconds('The longest of these times'),
    reason: Type.Enum(parts, {
      description:
        'What took most of that time: `queue` before the start, `agents` for tools, short waits and work of the server, or the part of the server that was waited for.',
    }),
    spent: Type.Array(Type.Object({ on: Type.Enum(parts), seconds: seconds('Sum over the runs') })),
  },
  { title: 'SlowAccount' },
);

export const AnyRunPath = Type.Object({ invocation_id: Type.String({ maxLength: 512 }) });

export const HeldRun = Type.Object(
  {
    account_id: Type.String(),
    app: Type.String(),
    status: Status,
    attempt: Type.Integer(),
    holder: nullable('Id of the process that executes the run or has accepted it; null when the run is over.'),
    pod: nullable('Host name of that process: in Kubernetes the name of the pod.'),
    waiting_on: nullable('As `waitingOn` of the record of the run.'),
    waitingOn: Type.Union([Type.String(), Type.Null()], {
      deprecated: true,
      description: 'Until 0.2: `waiting_on`.',
    }),
    since: nullable('Begin of that wait. ISO 8601.'),
    queue: Type.Union(
      [
        Type.Object({
          position: Type.Integer({ description: 'Place among the runs of the session that have not started.' }),
          ahead: Type.Array(Type.String(), { description: 'Runs of the session that come before it, at most 20.' }),
        }),
        Type.Null(),
      ],
      { description: 'Null unless the run is queued.' },
    ),
  },
  { title: 'HeldRun' },
);
