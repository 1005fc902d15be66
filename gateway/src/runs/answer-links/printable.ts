/**
 * A text without characters that cannot be seen or that change the direction of others, which could hide what is asked: they are shown as `\\uXXXX`.
 * Line ends stay.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => (char === '\n' ? char : escaped(char)));
}

function escaped(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
