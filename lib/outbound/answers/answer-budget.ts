import { getHeapStatistics } from 'node:v8';
import { AnswerRefused } from './answer-refused.ts';

/** Part of a budget that one answer holds. */
export interface HeldAnswer {
  /** Changes the bytes that are held. The largest answer of the account that holds most is given up when there is no room: it may be this one. */
  hold(bytes: number): void;
  /** Gives all room back. May be called more than once. */
  release(): void;
}

/** Bounds the bytes of all answers of other servers that arrive, for each account and altogether. */
export interface AnswerBudget {
  /** `giveUp` is called when the answer loses its room. */
  open(accountId: string, giveUp: (refused: AnswerRefused) => void): HeldAnswer;
  /** Bytes that are held now. */
  readonly heldBytes: number;
  /** The same for each account. */
  byAccount(): Map<string, number>;
}

export interface AnswerRoom {
  /** Most bytes of all answers. */
  readonly ofProcess: number;
  /** Most bytes of the answers of one account; those that count for no account come from servers of the operator. */
  readonly ofAccount: number;
}

interface Holder {
  bytes: number;
  readonly giveUp: (refused: AnswerRefused) => void;
}

interface Account {
  bytes: number;
  readonly holders: Set<Holder>;
}

export function createAnswerBudget(room: AnswerRoom): AnswerBudget {
  const accounts = new Map<string, Account>();
  let heldBytes = 0;

  function change(account: Account, holder: Holder, bytes: number): void {
    account.bytes += bytes - holder.bytes;
    heldBytes += bytes - holder.bytes;
    holder.bytes = bytes;
  }

  function close(accountId: string, holder: Holder): void {
    const account = accounts.get(accountId);
    if (account?.holders.delete(holder) !== true) return;
    change(account, holder, 0);
    if (account.holders.size === 0) accounts.delete(accountId);
  }

  function giveUpLargest(accountId: string, { holders }: Account): void {
    const largest = largestOf(holders, (one) => one.bytes);
    close(accountId, largest);
    largest.giveUp(noRoom());
  }

  function makeRoom(accountId: string, account: Account): void {
    const most = accountId === '' ? room.ofProcess : room.ofAccount;
    while (account.bytes > most) giveUpLargest(accountId, account);
    while (heldBytes > room.ofProcess) giveUpLargest(...largestOf(accounts, ([, { bytes }]) => bytes));
  }

  return {
    open(accountId, giveUp) {
      const account: Account = accounts.get(accountId) ?? { bytes: 0, holders: new Set() };
      accounts.set(accountId, account);
      const holder: Holder = { bytes: 0, giveUp };
      account.holders.add(holder);
      return {
        hold(bytes) {
          if (!account.holders.has(holder)) return;
          change(account, holder, bytes);
          makeRoom(accountId, account);
        },
        release: () => close(accountId, holder),
      };
    },
    get heldBytes() {
      return heldBytes;
    },
    byAccount: () => new Map(Array.from(accounts, ([accountId, { bytes }]) => [accountId, bytes])),
  };
}

/** The item with the highest number. There is at least one. */
function largestOf<Item>(items: Iterable<Item>, numberOf: (item: Item) => number): Item {
  return [...items].reduce((largest, item) => (numberOf(item) > numberOf(largest) ? item : largest));
}

/**
 * Room for the heap that this process may have. Texts are kept a few times while a run uses them, and take twice the bytes where they are not Latin. So all
 * answers may take a half of the heap at worst, and those of one account a fifth. One answer always fits.
 */
export function roomForHeap(heapBytes = getHeapStatistics().heap_size_limit): AnswerRoom {
  const [ofProcess, ofAccount] = [Math.floor(heapBytes / 24), Math.floor(heapBytes / 64)];
  return { ofProcess: Math.max(ofProcess, 4 * smallest), ofAccount: Math.max(ofAccount, smallest) };
}

/** Most bytes of one answer. */
const smallest = 8 * 1024 * 1024;

function noRoom(): AnswerRefused {
  return new AnswerRefused('no_room', 'Too many large answers of other servers arrive at once. Try again.');
}
