import type { Transaction } from '@agentmesh/lib/pg';
import { type LogKey, updateLogEnded, updateLogRetrying } from '../../store/log-steps.ts';
import type { AttemptFailure } from './attempt-failure.ts';

/** Failed attempts after which a log has failed for good. */
const mostAttempts = 8;
/** Attempts at a mail that cannot be found: it may be missing at first because the provider's servers differ for some seconds. */
const mostAttemptsAtMissing = 4;
const missingSeconds = [5, 10, 15];
/** Pause when a provider or model takes no more and does not say for how long; 0 s or a time that is over would be no pause at all. */
const limitedSeconds = 60;
/** Time after which a log is given up although its attempts did not count. */
const longestLimitedMs = 24 * 3_600_000;

export interface RetryOptions {
  readonly now: Date;
  readonly retrySeconds: readonly number[];
}

interface AttemptedLog {
  readonly account_id: string;
  readonly id: number;
  readonly attempts: number;
  readonly began_at: Date;
}

/** Consequence of a failed attempt: the time of the next attempt, or the final status of the log. */
export type Consequence =
  | { readonly attempts: number; readonly nextAttemptAt: Date }
  | { readonly attempts: number; readonly status: 'error' | 'skipped' };

/** Decides what follows a failed attempt. */
function consequenceOf(failure: AttemptFailure, log: AttemptedLog, { now, retrySeconds }: RetryOptions): Consequence {
  const after = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);
  if (failure.kind === 'limited') {
    const isOld = now.getTime() - log.began_at.getTime() > longestLimitedMs;
    if (isOld) return { attempts: log.attempts, status: 'error' };
    return { attempts: log.attempts, nextAttemptAt: after(Math.max(1, failure.afterSeconds || limitedSeconds) * 1.05) };
  }
  const attempts = log.attempts + 1;
  if (failure.kind === 'permanent') return { attempts, status: 'error' };
  if (failure.kind === 'gone') {
    if (attempts >= mostAttemptsAtMissing) return { attempts, status: 'skipped' };
    return { attempts, nextAttemptAt: after(missingSeconds[attempts - 1] ?? limitedSeconds) };
  }
  if (attempts >= mostAttempts) return { attempts, status: 'error' };
  return { attempts, nextAttemptAt: after(retrySeconds[attempts - 1] ?? retrySeconds.at(-1) ?? limitedSeconds) };
}

/** Writes what follows a failed attempt. */
export async function writeFailure(
  tx: Transaction,
  { log, failure, ...options }: RetryOptions & { log: AttemptedLog; failure: AttemptFailure },
): Promise<Consequence> {
  const key: LogKey = { accountId: log.account_id, id: log.id };
  const consequence = consequenceOf(failure, log, options);
  const { message } = failure;
  if ('nextAttemptAt' in consequence) await updateLogRetrying(tx, { ...key, ...consequence, message });
  else await updateLogEnded(tx, { ...key, ...consequence, message, response: null, now: options.now });
  return consequence;
}
