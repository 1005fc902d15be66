import { expect, test } from 'vitest';
import type { Piece } from '../../road/pieces.ts';
import { createWordsInTurn } from './words-in-turn.ts';

const open = (id: string): Piece => ({ kind: 'open', id, words: 'text', author: id });
const delta = (id: string, text: string): Piece => ({ kind: 'delta', id, words: 'text', text });
const close = (id: string): Piece => ({ kind: 'close', id, words: 'text' });

test('agents that speak at once are told one after the other, each word as soon as it is its turn', () => {
  const tell = createWordsInTurn();
  const begun = [open('a'), delta('a', '1'), open('b'), delta('b', '2'), open('c'), delta('c', '3'), delta('a', '4')];
  const ended = [close('b'), close('a'), delta('c', '5'), close('c'), open('d'), delta('d', '6'), close('d')];
  expect(begun.map(tell)).toEqual(['', '1', '', '', '', '', '4']);
  expect(ended.map(tell)).toEqual(['', '\n\n2\n\n3', '5', '', '', '\n\n6', '']);
});
