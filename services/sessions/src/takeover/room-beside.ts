import { maxAnswerBytes } from '../store/events/window-bytes.ts';
import type { TurnInit } from './heir.ts';

/** Most bytes of a field of a turn besides its text: its tag and length, and its share of the small fields. */
const bytesBesideText = 1_000;

/** Bytes that a further turn of an answer may have, so that the answer can be sent. A turn alone fits into every answer. */
export function roomBeside(turns: readonly TurnInit[]): number {
  return turns.length === 0 ? Infinity : turns.reduce((left, turn) => left - bytesOfTurn(turn), maxAnswerBytes);
}

/** Bytes of a turn in an answer, or some more. */
export function bytesOfTurn({ events = [], stateJson, messageJson, customMetadataJson }: TurnInit): number {
  const texts = [...events, stateJson, messageJson, customMetadataJson];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0) + bytesBesideText, 0);
}
