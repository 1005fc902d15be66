import { textInvalid } from './errors.ts';

/**
 * Answers `text` unchanged when PostgreSQL can store it and it has at most `maxLength` code units.
 *
 * @throws MeshError invalid_argument `text_invalid`, naming `field` but not its content
 */
export function checkText(field: string, text: string, maxLength: number): string {
  if (text.length > maxLength || !isStorable(text)) throw textInvalid(field, maxLength);
  return text;
}

/** Whether `text` is well-formed Unicode without NUL, which PostgreSQL refuses. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
