import type { FullLimit } from '../store/model-calls.ts';
import { endOf } from './period.ts';

/** Returns the public text for a limit that is used up, e.g. `The limit of 10 requests per day of key apikey7 is reached until …`. */
export function describeFullLimit({ key_id: keyId, period, unit, most, starts_on: start }: FullLimit): string {
  const amount = unit === 'cost' ? `$${Number(most) / 1e9}` : `${most} ${unit}`;
  const whose = keyId === 0n ? 'the account' : `the key apikey${keyId}`;
  return `The limit of ${amount} per ${period} of ${whose} is reached until ${endOf(period, start).toISOString()}.`;
}
