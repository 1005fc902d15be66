import pg from 'pg';
import { serialize } from 'pg-protocol';

type Prepared = string | Buffer | null;

// `pg` passes every value through this function, but its type declaration lacks it.
const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => Prepared | undefined } }).utils;

/** Messages are written here and copied. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
/** Longest text in characters that is written in JavaScript: for a longer one, the call of Node's own function costs less. */
const shortest = 48;
/** Bytes of a message besides the statement's name and its values, and of each value besides its own. */
const [ofMessage, ofValue] = [24, 6];

/**
 * The Bind message of a statement: what `serialize.bind` of pg-protocol makes, whose buffer begins with 256 bytes and is copied whenever it is too small, some
 * six times for a usual write. A message that may be larger than 64 KiB is left to it. Throws for a value that cannot be a parameter.
 */
export function bindMessage(statement: string, values: readonly unknown[]): Buffer {
  const prepared: Prepared[] = [];
  let most = ofMessage + 3 * statement.length;
  for (const value of values) {
    const one = prepareValue(value) ?? null;
    prepared.push(one);
    most += ofValue + (one === null ? 0 : 3 * one.length);
  }
  if (most > scratch.length) return serialize.bind({ statement, values: prepared });
  return copyOf(write(statement, prepared));
}

/** Writes the message into `scratch`, and returns its length. */
function write(statement: string, values: readonly Prepared[]): number {
  // The code of the message, room for its length, and the name of the portal, which is empty.
  scratch[0] = 0x42;
  scratch[5] = 0;
  let at = 6 + writeText(statement, 6);
  scratch[at] = 0;
  at = writeShort(values.length, at + 1);
  for (const value of values) at = writeShort(value instanceof Buffer ? 1 : 0, at);
  at = writeShort(values.length, at);
  for (const value of values) at = writeValue(value, at);
  // All columns of results are texts.
  at = writeShort(0, writeShort(1, at));
  scratch.writeInt32BE(at - 1, 1);
  return at;
}

function writeValue(value: Prepared, at: number): number {
  const begin = at + 4;
  const length = value === null ? -1 : typeof value === 'string' ? writeText(value, begin) : value.copy(scratch, begin);
  scratch.writeInt32BE(length, at);
  return begin + Math.max(length, 0);
}

function writeShort(value: number, at: number): number {
  scratch[at] = value >>> 8;
  scratch[at + 1] = value & 0xff;
  return at + 2;
}

/** Writes a text as UTF-8, and returns its length in bytes. */
function writeText(text: string, at: number): number {
  const { length } = text;
  if (length > shortest) return scratch.write(text, at);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return scratch.write(text, at);
    scratch[at + index] = code;
  }
  return length;
}

function copyOf(length: number): Buffer {
  const message = Buffer.allocUnsafe(length);
  scratch.copy(message, 0, 0, length);
  return message;
}
