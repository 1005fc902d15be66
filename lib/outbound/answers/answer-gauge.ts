import { presentAccount } from '../names/index.ts';
import { type AnswerBudget, createAnswerBudget, type HeldAnswer, roomForHeap } from './answer-budget.ts';
import type { AnswerRefused } from './answer-refused.ts';
import { AnswerPace } from './answer-pace.ts';
import { AnswerShape } from './answer-shape.ts';

/** Most bytes of an answer, and of an event or a line of a stream of events. */
export const [mostAnswerBytes, mostEventBytes] = [8 * 1024 * 1024, 1024 * 1024];
/** Most lines of a stream of events: each costs a parse. */
const mostLines = 200_000;

/** Bounds of one answer that differ from the usual ones. */
export interface AnswerBounds {
  /** Most bytes of the whole answer; 8 MiB by default. */
  readonly mostBytes?: number | undefined;
  /** Most lines of a stream of events. */
  readonly mostLines?: number | undefined;
  /** The answer is read line by line, whatever it says of itself. */
  readonly isEvents?: boolean | undefined;
  /** An answer in JSON that begins with `[` is refused: it would be a list of messages. */
  readonly isNoList?: boolean | undefined;
  /** The answer is not parsed, so only its bytes count. */
  readonly isOpaque?: boolean | undefined;
  /** A stream that stays open: of what it has sent, only the event that has not ended is kept. */
  readonly isLasting?: boolean | undefined;
  /** The budget of the answer; that of the process by default. */
  readonly budget?: AnswerBudget | undefined;
}

/** Budget of all answers of this process, made with the first one. */
let ofProcess: AnswerBudget | undefined;
const pace = new AnswerPace();

/** Bytes of the answers that arrive in this process, by the account that they count for; empty for servers of the operator. */
export function bytesOfAnswers(): ReadonlyMap<string, number> {
  return ofProcess?.byAccount() ?? new Map();
}

/** Measures one answer while it arrives, for the present account. It holds its room in the budget until `end`. */
export class AnswerGauge {
  readonly #accountId = presentAccount();
  readonly #shape: AnswerShape;
  readonly #isEvents: boolean;
  readonly #isLasting: boolean;
  readonly #held: HeldAnswer;
  readonly #onRefused: (refused: AnswerRefused) => void;
  #isOver = false;
  readonly #hasEnded = (): boolean => this.#isOver;

  /** `onRefused` is called once when the answer may not go on: it is over a bound of its own, or has lost its room to others. */
  constructor(bounds: AnswerBounds, onRefused: (refused: AnswerRefused) => void) {
    const { mostBytes = mostAnswerBytes, isEvents = false, isLasting = false } = bounds;
    const { isNoList = false, isOpaque = false } = bounds;
    this.#isEvents = isEvents;
    this.#isLasting = isLasting;
    this.#shape = new AnswerShape({
      mostBytes,
      mostEventBytes: isEvents ? mostEventBytes : undefined,
      mostLines: bounds.mostLines ?? mostLines,
      isNoList,
      isOpaque,
    });
    const budget = bounds.budget ?? (ofProcess ??= createAnswerBudget(roomForHeap()));
    this.#onRefused = onRefused;
    this.#held = budget.open(this.#accountId, (refused) => this.#refuse(refused));
  }

  /**
   * Counts a chunk that has arrived. Undefined when it may be taken at once, else a promise for when it may: all its bytes are looked at then, which for the
   * chunks of a thousand answers takes a fifth of a second.
   */
  turn(chunk: Uint8Array): Promise<void> | undefined {
    this.#held.hold(this.#kept() + chunk.byteLength);
    return this.#isOver ? undefined : pace.turn(this.#accountId, chunk.byteLength, this.#hasEnded);
  }

  /** True when the answer may go on with this chunk, whose turn it is. */
  take(chunk: Uint8Array): boolean {
    if (this.#isOver) return false;
    const refused = this.#shape.take(chunk);
    if (refused !== undefined) this.#refuse(refused);
    else this.#held.hold(this.#kept());
    return !this.#isOver;
  }

  /** Gives the room back: the answer has ended, or nobody reads it any more. */
  end(): void {
    this.#isOver = true;
    this.#held.release();
  }

  #refuse(refused: AnswerRefused): void {
    if (this.#isOver) return;
    this.end();
    this.#onRefused(refused);
  }

  #kept(): number {
    const { bytes, bytesOfEvent, bytesOfTexts } = this.#shape;
    if (!this.#isEvents) return bytes;
    return this.#isLasting ? bytesOfEvent : bytesOfEvent + bytesOfTexts;
  }
}
