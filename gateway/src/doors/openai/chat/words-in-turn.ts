import type { Piece } from '../../road/pieces.ts';

interface Text {
  readonly id: string;
  held: string;
  isClosed: boolean;
}

const between = '\n\n';

/** Joins texts to one, with blank lines between them. Of agents that speak at once, one speaks on until it has ended; the others are told behind it. */
export function createWordsInTurn() {
  const texts: Text[] = [];
  let isFirst = true;
  const flush = (): string => {
    let said = '';
    for (let [text] = texts; text !== undefined; [text] = texts) {
      said += text.held;
      text.held = '';
      if (!text.isClosed) break;
      texts.shift();
      if (texts.length > 0) said += between;
    }
    return said;
  };
  return (piece: Piece): string => {
    if (piece.kind === 'open') {
      const isNext = texts.length === 0 && !isFirst;
      texts.push({ id: piece.id, held: isNext ? between : '', isClosed: false });
      isFirst = false;
      return '';
    }
    const text = texts.find(({ id }) => 'id' in piece && id === piece.id);
    if (text === undefined) return '';
    if (piece.kind === 'delta') text.held += piece.text;
    if (piece.kind === 'close') text.isClosed = true;
    return flush();
  };
}
