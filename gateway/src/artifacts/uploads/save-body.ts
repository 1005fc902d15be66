import type { HeldBytes } from '../../edge/bodies/body-budget.ts';
import { bodyTooLarge, InvalidRequest } from '../../edge/errors/request-error.ts';
import { parseJsonBody } from '../../edge/json/json-text.ts';
import { JsonScanner, type Scanned } from './json-scanner.ts';
import { type StreamedString, streamedString } from './streamed-string.ts';

/** Longest payload, in bytes, that stays in the body instead of being streamed. */
const threshold = 64 * 1024;

/** Limits of what is kept in memory. */
export interface Keeping {
  /** Most bytes. */
  readonly maxRestBytes: number;
  /** Room in the budget of the process. */
  readonly held: HeldBytes;
}

/** A parsed body. A mark replaces the streamed string, if there is one. */
export interface SaveBody {
  readonly value: unknown;
  readonly streamed: StreamedString | undefined;
}

const byteOrderMark = 0xfe_ff;

/** Whether a path is that of a payload, and of which kind. */
function placeOf(path: readonly (string | undefined)[]): 'data' | 'text' | undefined {
  const [first, second, third, ...more] = path;
  if (first !== 'artifact' || more.length > 0) return undefined;
  if (second === 'text' && third === undefined) return 'text';
  return (second === 'inlineData' || second === 'inline_data') && third === 'data' ? 'data' : undefined;
}

/**
 * Reads the JSON body of a save as it arrives. Yields the bytes of its first long payload, and returns the parsed rest. Only the
 * rest is kept in memory: HttpError 413 above `maxRestBytes`. Invalid JSON has the same errors as on other routes.
 */
export async function* readSaveBody(source: AsyncIterable<Buffer>, keeping: Keeping): AsyncGenerator<Buffer, SaveBody> {
  const body = new Body(keeping);
  for await (const chunk of source) {
    for (const bytes of body.take(chunk)) if (bytes.length > 0) yield bytes;
  }
  return body.finish();
}

/** Reads a whole body: HttpError 413 above `maxRestBytes`. */
export async function readWhole(source: AsyncIterable<Buffer>, { maxRestBytes, held }: Keeping): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > maxRestBytes) throw bodyTooLarge();
    held.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

class Body {
  readonly #keeping: Keeping;
  readonly #scanner = new JsonScanner((path) => placeOf(path) !== undefined);
  readonly #rest: Buffer[] = [];
  #restBytes = 0;
  /** Raw bytes of a payload that is still too short to stream. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #place: 'data' | 'text' = 'data';
  #streamed: StreamedString | undefined;
  #markAt = -1;
  #isStreaming = false;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  *take(chunk: Buffer): Generator<Buffer> {
    for (const scanned of this.#scanner.scan(chunk)) yield* this.#takeScanned(scanned);
  }

  finish(): SaveBody {
    this.#keep();
    const streamed = this.#streamed;
    if (streamed !== undefined) this.#rest[this.#markAt] = Buffer.from(streamed.mark);
    const rest = Buffer.concat(this.#rest);
    try {
      return { value: parseJsonBody(rest), streamed };
    } catch (error) {
      throw streamed === undefined ? error : this.#moved(error, streamed);
    }
  }

  *#takeScanned(scanned: Scanned): Generator<Buffer> {
    if (scanned.kind === 'rest' || (scanned.kind === 'string' && !this.#isStreaming)) {
      this.#keeping.held.take(scanned.bytes.length);
    }
    if (scanned.kind === 'rest') this.#add(scanned.bytes);
    else if (scanned.kind === 'begin') this.#place = placeOf(scanned.path) ?? 'data';
    else if (scanned.kind === 'end') yield* this.#endString();
    else if (this.#isStreaming) yield this.#feed(scanned.bytes);
    else yield* this.#hold(scanned.bytes);
  }

  *#hold(bytes: Buffer): Generator<Buffer> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#restBytes + this.#heldBytes > this.#keeping.maxRestBytes) throw bodyTooLarge();
    if (this.#heldBytes <= threshold || this.#streamed !== undefined) return;
    this.#streamed = streamedString(this.#place);
    this.#isStreaming = true;
    this.#markAt = this.#rest.push(Buffer.alloc(0)) - 1;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const one of held) yield this.#feed(one);
  }

  *#endString(): Generator<Buffer> {
    if (!this.#isStreaming) return this.#keep();
    this.#isStreaming = false;
    const last = this.#streamed?.finish() ?? Buffer.alloc(0);
    this.#refuseFault();
    yield last;
  }

  #feed(raw: Buffer): Buffer {
    const bytes = this.#streamed?.feed(raw) ?? Buffer.alloc(0);
    this.#refuseFault();
    return bytes;
  }

  #keep(): void {
    for (const bytes of this.#held) this.#add(bytes);
    this.#held = [];
    this.#heldBytes = 0;
  }

  #add(bytes: Buffer): void {
    this.#restBytes += bytes.length;
    if (this.#restBytes > this.#keeping.maxRestBytes) throw bodyTooLarge();
    this.#rest.push(bytes);
  }

  #refuseFault(): void {
    const fault = this.#streamed?.jsonFault;
    if (fault !== undefined) throw jsonInvalid(this.#unitsBeforeMark() + fault.offset, fault.error);
  }

  #unitsBeforeMark(): number {
    const before = Buffer.concat(this.#rest.slice(0, this.#markAt)).toString();
    return before.length - Number(before.charCodeAt(0) === byteOrderMark);
  }

  /** Moves a fault after the mark to its position in the body that was sent. */
  #moved(error: unknown, streamed: StreamedString): unknown {
    const [issue] = error instanceof InvalidRequest ? error.issues : [];
    const offset = issue?.loc[1];
    if (issue?.type !== 'json_invalid' || typeof offset !== 'number') return error;
    if (offset <= this.#unitsBeforeMark()) return error;
    const sent = offset - streamed.mark.length + streamed.units;
    return new InvalidRequest([{ ...issue, loc: ['body', sent] }]);
  }
}

function jsonInvalid(offset: number, error: string): InvalidRequest {
  return new InvalidRequest([
    { type: 'json_invalid', loc: ['body', offset], msg: 'JSON decode error', input: {}, ctx: { error } },
  ]);
}
