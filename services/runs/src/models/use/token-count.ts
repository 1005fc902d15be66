/** More tokens than any call has. */
const most = 1_000_000_000;

/** A count of tokens that a model told: a whole number from 0 to 10^9; 0 for what is no number. Servers of accounts may tell anything. */
export function tokenCount(told: unknown): number {
  return typeof told === 'number' && told > 0 ? Math.min(Math.round(told), most) : 0;
}
