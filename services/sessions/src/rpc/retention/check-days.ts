import { invalid } from '../../errors.ts';

const mostDays = 36_500;

/** @throws MeshError invalid_argument `request_invalid` for days that no rule may have. */
export function checkDays(days: number): void {
  if (days < 1 || days > mostDays) throw invalid(`Days of retention are 1 to ${mostDays}.`);
}
