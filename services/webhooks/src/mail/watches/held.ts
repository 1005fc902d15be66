import type { WatchRow } from '../../store/watches/watches.ts';

/** A watch that this replica has claimed. */
export type Held = WatchRow & { readonly claim: string };
