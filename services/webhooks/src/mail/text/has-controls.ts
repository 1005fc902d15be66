/** Whether a text has control characters. */
export function hasControls(text: string): boolean {
  return Array.from(text).some((character) => character < ' ' || character === '\u007f');
}
