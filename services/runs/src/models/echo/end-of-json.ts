/** Longest JSON object that is looked for, in characters. */
const maxLength = 65_536;

/** The index after the JSON object that opens at `start`, judged by braces and strings alone; -1 when it does not close. */
export function endOfJson(text: string, start: number): number {
  const limit = Math.min(text.length, start + maxLength);
  let depth = 0;
  for (let index = start; index < limit; index += 1) {
    const char = text[index];
    if (char === '"') index = endOfString(text, index, limit);
    else if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return -1;
}

/** The index of the quote that ends the string opened at `start`, or `limit`. */
function endOfString(text: string, start: number, limit: number): number {
  for (let index = start + 1; index < limit; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index;
  }
  return limit;
}
