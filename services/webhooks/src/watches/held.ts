import type { WatchRow } from '../store/watches.ts';

/** A watch that this replica has claimed. */
export type Held = WatchRow & { readonly claim: string };
