import { ArrivalOrder, type Link } from '@agentmesh/lib/wait';
import { HttpError } from '../errors/request-error.ts';

/** Part of a budget that one body holds. */
export interface HeldBytes {
  /** Takes room for more bytes. Throws `overloaded` if there is none. */
  take(bytes: number): void;
  /** The body has arrived, and is not given up any more. It keeps its room until `release`. */
  complete(): void;
  /** Gives all room back. May be called more than once. */
  release(): void;
}

/**
 * Bounds the bytes of all bodies that arrive or are being handled. When there is no room left, the bodies that have been arriving
 * for the longest time are given up, so stalled bodies do not keep others out.
 */
export interface BodyBudget {
  /** `giveUp` is called when the body loses its room before it is complete. */
  hold(giveUp: (error: Error) => void): HeldBytes;
  /** Bytes that are held now. */
  readonly heldBytes: number;
}

/** Answer of a body for which there is no room. */
export function overloaded(): HttpError {
  return new HttpError(503, 'Too many large requests at once. Try again.', { 'retry-after': '1' });
}

interface Holder {
  bytes: number;
  /** Absent when the body has arrived or is gone: the holder lives as long as its request, which this would keep. */
  giveUp: ((error: Error) => void) | undefined;
  /** Its place among those that arrive. */
  link: Link<Holder> | undefined;
}

export function createBodyBudget(maxBytes: number): BodyBudget {
  /** Bodies that are not complete, the oldest first. */
  const arriving = new ArrivalOrder<Holder>();
  let heldBytes = 0;

  function settle(holder: Holder): void {
    if (holder.link !== undefined) arriving.remove(holder.link);
    holder.giveUp = undefined;
  }

  function release(holder: Holder): void {
    settle(holder);
    heldBytes -= holder.bytes;
    holder.bytes = 0;
  }

  /** Gives up older bodies until `bytes` fit. */
  function makeRoom(bytes: number, holder: Holder): void {
    while (heldBytes + bytes > maxBytes) {
      const { oldest } = arriving;
      if (oldest === undefined || oldest === holder) throw overloaded();
      const { giveUp } = oldest;
      release(oldest);
      giveUp?.(overloaded());
    }
  }

  return {
    hold(giveUp) {
      const holder: Holder = { bytes: 0, giveUp, link: undefined };
      holder.link = arriving.add(holder);
      return {
        take(bytes) {
          makeRoom(bytes, holder);
          heldBytes += bytes;
          holder.bytes += bytes;
        },
        complete: () => settle(holder),
        release: () => release(holder),
      };
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}
