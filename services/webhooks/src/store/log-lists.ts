import { createQuery } from '@agentmesh/lib/pg';

export type LogStatus = 'pending' | 'in_progress' | 'success' | 'retrying' | 'error' | 'skipped';

/** A log as its owner sees it, without the body of the mail. */
export interface LogRow {
  readonly id: number;
  readonly subscription_id: number;
  readonly agent_id: number;
  readonly change_type: string;
  readonly status: LogStatus;
  readonly email_subject: string | null;
  readonly email_sender: string | null;
  readonly agent_message: string | null;
  readonly agent_response: string | null;
  readonly error_message: string | null;
  readonly invocation_id: string | null;
  /** JSON: [{filename, content_type, size}]. */
  readonly attachments: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
}

const columns = `id, subscription_id, agent_id, change_type, status, email_subject, email_sender, agent_message, agent_response,
  error_message, invocation_id, attachments, created_at, started_at, completed_at`;

export interface LogFilter {
  readonly accountId: string;
  /** 0 for all. */
  readonly subscriptionId: number;
  /** 0 for all. */
  readonly agentId: number;
  /** Empty for all. */
  readonly statuses: readonly string[];
  readonly since: Date | null;
  readonly until: Date | null;
  /** Pattern for `ilike`; null for all. */
  readonly pattern: string | null;
}

const matches = (param: Readonly<Record<keyof LogFilter, string>>): string => `account_id = ${param.accountId}
  and (${param.subscriptionId}::integer = 0 or subscription_id = ${param.subscriptionId})
  and (${param.agentId}::integer = 0 or agent_id = ${param.agentId})
  and (cardinality(${param.statuses}::text[]) = 0 or status = any(${param.statuses}::text[]))
  and (${param.since}::timestamptz is null or created_at >= ${param.since})
  and (${param.until}::timestamptz is null or created_at < ${param.until})
  and (${param.pattern}::text is null or email_subject ilike ${param.pattern} or email_sender ilike ${param.pattern})`;

/** A page of an account's logs, newest first. */
export const selectLogs = createQuery<LogFilter & { limit: number; offset: number }, LogRow>({
  name: 'select-logs',
  text: (param) => `select ${columns} from logs where ${matches(param)}
    order by id desc limit ${param.limit} offset ${param.offset}`,
});

/** The number of logs that match. */
export const countLogs = createQuery<LogFilter, { total: bigint }>({
  name: 'count-logs',
  text: (param) => `select count(*) as total from logs where ${matches(param)}`,
});

/** Selects a log of an account by id. */
export const selectLog = createQuery<{ accountId: string; id: number }, LogRow>({
  name: 'select-log',
  text: (param) => `select ${columns} from logs where account_id = ${param.accountId} and id = ${param.id}`,
});

/** The body of a log's mail; empty before it was fetched. */
export const selectLogBody = createQuery<
  { accountId: string; id: number },
  { body_html: string | null; body_text: string | null }
>({
  name: 'select-log-body',
  text: (param) => `select body_html, body_text from logs where account_id = ${param.accountId} and id = ${param.id}`,
});
