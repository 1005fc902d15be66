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
    errorCode: Type.Optional(Type.String()),
    errorMessage: Type.Optional(Type.String()),
    customMetadata: Type.Optional(freeForm()),
  },
  { title: 'Run', description: 'A run of an agent: one user message and everything that the agent did with it.' },
);

/** A run as public JSON. The metadata are sent as the bytes that were stored. */
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
    ...(run.errorCode !== '' && { errorCode: run.errorCode }),
    ...(run.errorMessage !== '' && { errorMessage: run.errorMessage }),
  });
  if (run.customMetadataJson.length === 0) return head;
  return joinBytes([head.subarray(0, -1), Buffer.from(',"customMetadata":'), run.customMetadataJson, Buffer.from('}')]);
}
