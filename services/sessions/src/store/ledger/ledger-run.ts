import { type LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { bytesOf } from '../../json-bytes.ts';
import { createdMicroseconds } from '../created-at.ts';

/** A run's row, as the ledger's statements read it. */
export interface LedgerRow {
  readonly invocation_id: string;
  readonly app_name: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly status: string;
  readonly queue_position: number;
  readonly attempt: number;
  /** Unix time in microseconds. */
  readonly created: bigint;
  /** Unix time in seconds. */
  readonly started: number | null;
  /** Unix time in seconds. */
  readonly ended: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly metadata: string | null;
  readonly model: string | null;
  /** JSON. The same for the next. */
  readonly usage: string | null;
  readonly waiting_for: string | null;
  readonly agent: string | null;
  readonly streaming: boolean;
  readonly bound: boolean;
  /** Unix time in seconds. */
  readonly answer_by: number | null;
  readonly position: bigint;
  readonly owner: string;
  /**
   * The wait that an executor has told of a running run, or `lease` when its executor has lost its lease and no other one has taken the run, and since when. Unix
   * time in seconds.
   */
  readonly waiting_on: string | null;
  readonly waiting_since: number | null;
}

const mostCounted = 1000;

/** Executors tell of a wait every three seconds. */
const freshSeconds = 6;

function freshWait(column: 'waiting_on' | 'since'): string {
  const withoutExecutor = column === 'since' ? 'extract(epoch from r.due_at)::float8' : `'lease'`;
  return `case when r.status <> 'running' then null when r.due_at <= now() then ${withoutExecutor} else (
        select ${column} from run_waits w where w.account_id = r.account_id and w.invocation_id = r.invocation_id and w.session_pk = r.session_pk
          and w.told_at > now() - make_interval(secs => ${freshSeconds})
        order by w.told_at desc limit 1
      ) end`;
}

/** SQL of the columns of `LedgerRow`, from row `r` of `runs`. The queue is counted only for runs that wait in it. */
export const ledgerColumns = `r.invocation_id, r.app_name, r.user_id, r.session_id, r.status,
      case when r.status in ('queued', 'granted') then (
        select count(*)::integer from (
          select from runs q where q.account_id = r.account_id and q.session_pk = r.session_pk and q.ended_at is null and q.status in ('queued', 'granted')
            and q.position <= r.position
          order by q.position limit ${mostCounted}
        ) ahead
      ) else 0 end as queue_position,
      r.attempt, ${createdMicroseconds} as created, extract(epoch from r.started_at)::float8 as started,
      extract(epoch from r.ended_at)::float8 as ended, r.error_code, r.error_message, r.custom_metadata::text as metadata,
      r.model, r.usage::text as usage, r.agent::text as agent, case when r.status = 'waiting' then r.waiting_for::text end as waiting_for, r.streaming, r.bound,
      case when r.status = 'waiting' then extract(epoch from r.answer_by)::float8 end as answer_by, r.position,
      r.owner, ${freshWait('waiting_on')} as waiting_on, ${freshWait('since')} as waiting_since`;

const stored: Readonly<Record<RunStatus, readonly string[]>> = {
  [RunStatus.UNSPECIFIED]: [],
  // The turn was granted, and no executor has started the run yet.
  [RunStatus.QUEUED]: ['queued', 'granted'],
  [RunStatus.RUNNING]: ['running', 'cancelling'],
  [RunStatus.WAITING]: ['waiting'],
  [RunStatus.COMPLETED]: ['completed'],
  [RunStatus.FAILED]: ['failed'],
  [RunStatus.CANCELLED]: ['cancelled'],
  [RunStatus.INTERRUPTED]: ['interrupted'],
};

const publicStatuses = new Map(
  Object.entries(stored).flatMap(([status, names]) =>
    names.map((name) => [name, Number(status) as RunStatus] as const),
  ),
);

/** The public status for a value of the column `status`. */
export function statusOf(status: string): RunStatus {
  return publicStatuses.get(status) ?? RunStatus.UNSPECIFIED;
}

/** Values of the column `status` for public statuses; all of them for none. */
export function storedStatuses(statuses: readonly RunStatus[]): string[] {
  return statuses.length === 0
    ? [...publicStatuses.keys()]
    : [...new Set(statuses)].flatMap((status) => stored[status]);
}

/** The public form of a row. */
export function toLedgerRun(row: LedgerRow): MessageInitShape<typeof LedgerRunSchema> {
  return {
    invocationId: row.invocation_id,
    appName: row.app_name,
    userId: row.user_id,
    sessionId: row.session_id,
    status: statusOf(row.status),
    queuePosition: row.queue_position,
    attempt: row.attempt,
    createTime: Number(row.created) / 1_000_000,
    startTime: row.started ?? 0,
    endTime: row.ended ?? 0,
    errorCode: row.error_code ?? '',
    errorMessage: row.error_message ?? '',
    customMetadataJson: bytesOf(row.metadata ?? ''),
    model: row.model ?? '',
    usageJson: bytesOf(row.usage ?? ''),
    waitingForJson: bytesOf(row.waiting_for ?? ''),
    agentJson: bytesOf(row.agent ?? ''),
    streaming: row.streaming,
    isBound: row.bound,
    answerBy: row.answer_by ?? 0,
    owner: row.owner,
    ...waitOf(row),
  };
}

function waitOf(row: LedgerRow): { waitingOn: string; waitingSince: number } {
  const status = statusOf(row.status);
  if (status === RunStatus.QUEUED) return { waitingOn: 'queue', waitingSince: Number(row.created) / 1_000_000 };
  if (status === RunStatus.WAITING) return { waitingOn: 'answer', waitingSince: row.ended ?? 0 };
  return { waitingOn: row.waiting_on ?? '', waitingSince: row.waiting_since ?? 0 };
}
