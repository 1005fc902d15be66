export { Lazy } from './lazy.ts';
export { ArrivalOrder, type Link } from './arrival-order.ts';
export { type Leaving, Stopping, unlessEnded } from './stopping.ts';
export type { Turn } from './place.ts';
export { Turns, type TurnsOptions } from './turns.ts';
export { Wake, type WaitOptions } from './wake.ts';
export { whenOver } from './when-over.ts';
export { withinDeadline } from './within-deadline.ts';
export { unlessAborted } from './unless-aborted.ts';
