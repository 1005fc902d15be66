import { LimitPeriod, type LimitSchema } from '@agentmesh/proto/keys/v1/model_use';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { keyRequestInvalid } from '../errors.ts';
import type { LimitRow, PeriodWord } from '../store/limits.ts';
import { endOf } from './period.ts';

/** The public record of a limit. */
export function limitRecord(row: LimitRow): MessageInitShape<typeof LimitSchema> {
  return {
    keyId: row.key_id,
    period: row.period === 'day' ? LimitPeriod.DAY : LimitPeriod.MONTH,
    most: {
      ...(row.max_calls !== null && { calls: row.max_calls }),
      ...(row.max_tokens !== null && { tokens: row.max_tokens }),
      ...(row.max_cost_nanos !== null && { costNanos: row.max_cost_nanos }),
    },
    used: { calls: row.calls, tokens: row.tokens, costNanos: row.cost_nanos },
    endsAt: endOf(row.period, row.starts_on).getTime() / 1_000,
  };
}

/** The period as it is stored. Throws `request_invalid` for none. */
export function periodWord(period: LimitPeriod): PeriodWord {
  if (period === LimitPeriod.DAY) return 'day';
  if (period === LimitPeriod.MONTH) return 'month';
  throw keyRequestInvalid('The period of a limit is DAY or MONTH.');
}
