/**
 * Characters that show nothing: zero-width and bidirectional controls, tags, variation selectors, fillers. Text can be hidden in them. The two
 * common variation selectors stay, because they only choose between a sign and its emoji.
 */
const invisible = /(?![\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;
const controls = /(?![\n\t])\p{Cc}/gu;
const lineBreak = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Unicode's stream-safe text has at most 30 marks in a row. Sorting a longer row takes quadratic time. */
const manyMarks = /(\p{M}{30})\p{M}+/gu;

export interface CleanOptions {
  /** True: line breaks and tabs stay. False: they become spaces. */
  readonly lines: boolean;
  /** Length of the text that is needed; the rest may be left out. */
  readonly maxLength: number;
}

/** Removes invisible characters and controls, and composes letters (NFC). Takes linear time. */
export function cleanText(text: string, { lines, maxLength }: CleanOptions): string {
  // Cleaning mostly shortens. A text that is still too long after it is marked as cut, so more than `maxLength` must be kept here.
  const visible = text
    .slice(0, maxLength * 4 + 1_024)
    .replace(lineBreak, '\n')
    .replace(invisible, '')
    .replace(controls, '')
    .replace(manyMarks, '$1')
    .toWellFormed()
    .normalize('NFC');
  return lines ? visible : visible.replace(/\s+/g, ' ').trim();
}

const mark = '… [cut]';

/** Cuts a text to `maxLength` UTF-16 units and marks it as cut. A character is not cut in two. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, maxLength - mark.length).replace(/[\uD800-\uDBFF]$/, '') + mark;
}
