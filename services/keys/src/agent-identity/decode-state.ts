import { validationStateInvalid } from '../errors.ts';

const maxCharacters = 16_384;
const alphabets = /^(?:[A-Za-z0-9_-]*|[A-Za-z0-9+/]*)={0,2}$/;

/**
 * Decodes base64 of either alphabet, with or without padding; at most 16 KiB of text. Node's own decoder skips what it does not
 * know, so the text is checked first. Throws `validation_state_invalid`.
 */
export function decodeState(text: string): Buffer {
  if (text === '') throw validationStateInvalid('it is empty');
  if (text.length > maxCharacters) throw validationStateInvalid(`it is longer than ${maxCharacters} characters`);
  if (!alphabets.test(text)) throw validationStateInvalid('it holds characters that are not base64');
  const bare = text.replace(/=+$/, '');
  const bytes = Buffer.from(bare, 'base64url');
  // A length that no bytes have, and bits behind the last byte, do not survive.
  const isWhole = bytes.toString('base64url') === bare.replaceAll('+', '-').replaceAll('/', '_');
  if (!isWhole || bytes.length === 0) throw validationStateInvalid('it is cut off');
  return bytes;
}
