import { createQuery, type Queryable } from '@agentmesh/lib/pg';

export interface LogKey {
  readonly accountId: string;
  readonly id: number;
}

interface Prepared extends LogKey {
  readonly subject: string;
  readonly sender: string;
  /** Address in lower case; null when the mail names none. */
  readonly senderAddress: string | null;
  readonly html: string | null;
  readonly text: string;
  /** [{filename, content_type, size}] as JSON. */
  readonly attachments: string;
  /** Null: the mail is skipped. */
  readonly message: string | null;
}

const prepare = createQuery<Prepared, { id: number }>({
  name: 'update-log-prepared',
  text: (param) => `update logs set email_subject = ${param.subject}, email_sender = ${param.sender},
      sender_address = ${param.senderAddress}, body_html = ${param.html}, body_text = ${param.text},
      attachments = ${param.attachments}::jsonb, agent_message = ${param.message}
    where account_id = ${param.accountId} and id = ${param.id} and next_attempt_at is not null and exists (
      select 1 from subscriptions s where s.account_id = logs.account_id and s.id = logs.subscription_id and s.state = 'active'
    ) returning id`,
});

/** Writes the mail and the message for the agent. False when the subscription was disabled or deleted while the mail was fetched: then nothing is written. */
export async function updateLogPrepared(db: Queryable, values: Prepared): Promise<boolean> {
  return (await prepare(db, values)).length > 0;
}

const restore = createQuery<LogKey>({
  name: 'restore-log-message',
  text: (param) => `update logs set agent_message = former_message
    where account_id = ${param.accountId} and id = ${param.id} and next_attempt_at is not null`,
});

/** Gives the agent the message of the former round again. */
export async function restoreLogMessage(db: Queryable, key: LogKey): Promise<void> {
  await restore(db, key);
}

const start = createQuery<LogKey & { invocationId: string; runs: number; now: Date; checkAt: Date }>({
  name: 'update-log-started',
  text: (param) => `update logs set status = 'in_progress', invocation_id = ${param.invocationId}, runs = ${param.runs},
      started_at = ${param.now}, check_at = ${param.checkAt}, run_waits = false,
      next_attempt_at = null, error_message = null
    where account_id = ${param.accountId} and id = ${param.id} and next_attempt_at is not null`,
});

/** Writes that a run was started. */
export async function updateLogStarted(db: Queryable, values: Parameters<typeof start>[1]): Promise<void> {
  await start(db, values);
}

interface Failed extends LogKey {
  readonly attempts: number;
  readonly message: string;
  readonly nextAttemptAt: Date;
}

const retry = createQuery<Failed>({
  name: 'update-log-retrying',
  text: (param) => `update logs set status = 'retrying', attempts = ${param.attempts}, error_message = ${param.message},
      next_attempt_at = ${param.nextAttemptAt}, check_at = null
    where account_id = ${param.accountId} and id = ${param.id} and (next_attempt_at is not null or check_at is not null)`,
});

/** Plans another attempt after one that has failed. */
export async function updateLogRetrying(db: Queryable, values: Failed): Promise<void> {
  await retry(db, values);
}

const postpone = createQuery<LogKey & { nextAttemptAt: Date }>({
  name: 'postpone-log',
  text: (param) => `update logs set next_attempt_at = ${param.nextAttemptAt}
    where account_id = ${param.accountId} and id = ${param.id} and next_attempt_at is not null`,
});

/** Plans the next attempt for later, although none has failed. */
export async function postponeLog(db: Queryable, values: Parameters<typeof postpone>[1]): Promise<void> {
  await postpone(db, values);
}

const postponeAgent = createQuery<{ accountId: string; agentId: number; until: Date }>({
  name: 'postpone-logs-of-agent',
  text: (param) => `update logs set next_attempt_at = ${param.until} where ctid = any(array(
      select ctid from logs where account_id = ${param.accountId} and agent_id = ${param.agentId}
        and next_attempt_at < ${param.until} and agent_message is not null order by id limit 1000 for update skip locked
    ))`,
});

/** Lets the logs of an agent whose message is ready wait: its model takes no more until then. */
export async function postponeLogsOfAgent(db: Queryable, values: Parameters<typeof postponeAgent>[1]): Promise<void> {
  await postponeAgent(db, values);
}

interface Ended extends LogKey {
  readonly status: 'success' | 'error' | 'skipped';
  /** Null after a success. */
  readonly message: string | null;
  /** Null unless a run has succeeded: the answer of an earlier round stays. */
  readonly response: string | null;
  readonly attempts: number;
  readonly now: Date;
}

const end = createQuery<Ended>({
  name: 'update-log-ended',
  text: (param) => `update logs set status = ${param.status}, error_message = ${param.message},
      agent_response = coalesce(${param.response}, agent_response), agent_message = coalesce(agent_message, former_message),
      attempts = ${param.attempts}, completed_at = ${param.now}, next_attempt_at = null, check_at = null
    where account_id = ${param.accountId} and id = ${param.id} and (next_attempt_at is not null or check_at is not null)`,
});

/** Ends a log for good; only its owner can trigger it again. */
export async function updateLogEnded(db: Queryable, values: Ended): Promise<void> {
  await end(db, values);
}
