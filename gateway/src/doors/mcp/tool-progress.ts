import type { Piece } from '../road/pieces.ts';

/** Milliseconds between two notifications of a text that grows. */
const pauseMs = 250;
/** Most characters of the text so far in a notification: its end. */
const mostText = 1_000;

interface Progress {
  readonly progress: number;
  readonly message: string;
}

/** Makes notifications of the pieces of a run: calls of tools, and the text so far. */
export function createToolProgress(now = () => performance.now()): (piece: Piece) => Progress | undefined {
  let count = 0;
  let text = '';
  let toldAt = -Infinity;
  const tell = (message: string): Progress => {
    toldAt = now();
    return { progress: ++count, message };
  };
  return (piece) => {
    if (piece.kind === 'call') return tell(`Calls ${piece.name}.`);
    if (piece.kind === 'open' && piece.words === 'text') text = '';
    if (piece.kind !== 'delta' || piece.words !== 'text') return undefined;
    text += piece.text;
    if (now() - toldAt < pauseMs) return undefined;
    return tell(text.length > mostText ? `…${text.slice(-mostText)}` : text);
  };
}
