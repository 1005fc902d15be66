import { type LedgerRun, RunStatus } from './gen/agentmesh/sessions/v1/sessions_pb.js';

/** Public names of the statuses of runs. */
export const runStatuses = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted'] as const;
export type RunStatusName = (typeof runStatuses)[number];

/** Statuses by their public names. */
export const statusOf: Readonly<Record<RunStatusName, RunStatus>> = {
  queued: RunStatus.QUEUED,
  running: RunStatus.RUNNING,
  waiting: RunStatus.WAITING,
  completed: RunStatus.COMPLETED,
  failed: RunStatus.FAILED,
  cancelled: RunStatus.CANCELLED,
  interrupted: RunStatus.INTERRUPTED,
};

const names = new Map(runStatuses.map((name) => [statusOf[name], name]));

/** Public name of a status; undefined for one that is not specified. */
export function nameOfStatus(status: RunStatus): RunStatusName | undefined {
  return names.get(status);
}

const noUsage = '{"modelCalls":0}';

/** The stored use. The ledger leaves out the seconds of a short run: the times of the run tell them. */
function usageOf({ usageJson, startTime, endTime }: LedgerRun): Uint8Array {
  if (endTime === 0) return usageJson;
  const usage = usageJson.length === 0 ? noUsage : Buffer.from(usageJson).toString();
  if (/"seconds" ?:/.test(usage)) return usageJson;
  const seconds = startTime === 0 ? 0 : Math.max(0, Math.round((endTime - startTime) * 1000) / 1000);
  return Buffer.from(`${usage.slice(0, -1)},"seconds":${seconds}}`);
}

/** The agent that answered a run, as its executor tells it. */
export interface AnsweringAgent {
  /** Number of an agent that is a record; of files, the first 12 hex digits of a SHA-256 of the folder. */
  readonly version: string;
  /** When the newest of the files was changed. Unix time in seconds. */
  readonly filesTime?: number;
  /** The newer files have mistakes. */
  readonly state?: 'stale';
  /** Tools that could not be used. */
  readonly unavailableTools?: readonly { readonly name: string; readonly reason: string }[];
}

/** The same as fields of a run or of an event. */
export function agentFields({ version, filesTime, state, unavailableTools }: AnsweringAgent) {
  return {
    agentVersion: version,
    ...(filesTime !== undefined && { agentFilesTime: filesTime }),
    ...(state !== undefined && { agentState: state }),
    ...(unavailableTools !== undefined && { unavailableTools }),
  };
}

function agentOf({ agentJson }: LedgerRun) {
  return agentJson.length === 0 ? {} : agentFields(JSON.parse(Buffer.from(agentJson).toString()) as AnsweringAgent);
}

/**
 * A run as public JSON in UTF-8, as all routes and webhooks show it. Fields without a value are absent. Fields that the ledger keeps as JSON are the
 * bytes that were stored.
 */
export function runRecord(run: LedgerRun): Uint8Array {
  const head = Buffer.from(
    JSON.stringify({
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
      ...agentOf(run),
      ...(run.errorCode !== '' && { errorCode: run.errorCode }),
      ...(run.errorMessage !== '' && { errorMessage: run.errorMessage }),
      ...(run.answerBy > 0 && { answerBy: run.answerBy }),
      ...(run.waitingOn !== '' && { waitingOn: run.waitingOn, since: run.waitingSince }),
    }),
  );
  const stored = [
    ['usage', usageOf(run)],
    ['output', run.outputJson],
    ['customMetadata', run.customMetadataJson],
    ['waitingFor', run.waitingForJson],
  ] as const;
  const fields = stored.filter(([, json]) => json.length > 0);
  if (fields.length === 0) return head;
  const texts = fields.flatMap(([name, json]) => [Buffer.from(`,"${name}":`), json]);
  return Buffer.concat([head.subarray(0, -1), ...texts, Buffer.from('}')]);
}
