/** Most pieces of a streamed text; a longer text comes in larger pieces. */
const maxPieces = 1000;

/** Number of words of a text, which the echo model counts as tokens. */
export function countWords(text: string): number {
  let count = 0;
  let inWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const space = text.charCodeAt(index) <= 32;
    if (!space && !inWord) count += 1;
    inWord = !space;
  }
  return count;
}

/** Cuts a text into words, each with the space after it; the pieces joined are the text. */
export function splitWords(text: string): string[] {
  const words: string[] = text.match(/\s*\S+\s?/g) ?? [];
  if (words.length === 0) return text === '' ? [] : [text];
  const rest = text.slice(words.reduce((length, word) => length + word.length, 0));
  if (rest !== '') words.push(rest);
  return words.length <= maxPieces ? words : group(words, Math.ceil(words.length / maxPieces));
}

function group(words: readonly string[], size: number): string[] {
  const pieces: string[] = [];
  for (let index = 0; index < words.length; index += size) pieces.push(words.slice(index, index + size).join(''));
  return pieces;
}
