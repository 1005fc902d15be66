import { textInvalid } from './errors.ts';

/**
 * Returns `text` unchanged if PostgreSQL can store it and it has at most `maxLength` UTF-16 code units.
 *
 * @throws MeshError invalid_argument `text_invalid`, which names `field` but not its content
 */
export function checkText(field: string, text: string, maxLength: number): string {
  if (text.length > maxLength || !isStorable(text)) throw textInvalid(field, maxLength);
  return text;
}

/** Whether PostgreSQL can store `text`: it is well-formed Unicode without NUL. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
