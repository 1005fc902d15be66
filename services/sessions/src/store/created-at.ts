/** The end of the year 9999 in Unix microseconds: later than any session. */
export const latestMoment = 253_402_300_799_000_000n;

/** SQL expression: the time of the last update of a session after an event at the time `eventTime`. It never goes back, also when the clocks of two replicas differ. */
export function laterUpdate(lastUpdateTime: string, eventTime: string): string {
  return `greatest(${lastUpdateTime}, ${eventTime}::float8)`;
}

/** SQL expression: when a session was created, in Unix microseconds. */
export const createdMicroseconds = '(extract(epoch from created_at) * 1000000)::bigint';

/** SQL expression: the time of a parameter in Unix microseconds. */
export function momentOf(parameter: string): string {
  return `timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond'`;
}

/** SQL expression: a session's revision, as `revisionOf` prints it. */
export const revisionSql = `${createdMicroseconds} || '-' || last_seq`;
