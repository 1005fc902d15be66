import { once } from 'node:events';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { BadRequest, bodyTooLarge, InvalidRequest } from '../edge/errors/request-error.ts';

/** 25 MiB for the recording; the rest is for the form around it. */
const maxBodyBytes = 26 * 1024 * 1024;
const limits = { fieldNameSize: 100, fieldSize: 64 * 1024, parts: 100, headerPairs: 20 };

/**
 * Reads a multipart form up to its part `file`, and returns the bytes of that part as they arrive. The returned stream ends with
 * the form, and throws if the form is invalid after that part.
 *
 * Throws HttpError 413 for a body above 26 MiB, BadRequest for a form that cannot be parsed, and InvalidRequest if the part `file`
 * is missing, is a text field or occurs twice.
 */
export async function openSpeechForm(
  body: AsyncIterator<Buffer>,
  contentType: string | undefined,
): Promise<AsyncGenerator<Buffer, void, void>> {
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType ?? '')) throw missing();
  const form = new SpeechForm(contentType ?? '');
  while (!form.hasFile) {
    if (!(await form.read(body))) throw missing();
  }
  return bytesOf(form, body);
}

async function* bytesOf(form: SpeechForm, body: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, void> {
  do yield* form.take();
  while (await form.read(body));
  yield* form.take();
}

class SpeechForm {
  readonly #parser: BusboyInstance;
  #pieces: Buffer[] = [];
  #fault: Error | undefined;
  #bytes = 0;
  hasFile = false;

  constructor(contentType: string) {
    this.#parser = parserOf(contentType);
    this.#parser.on('file', (name, part) => {
      part.on('error', this.#fail);
      if (name === 'file' && !this.hasFile) {
        this.hasFile = true;
        part.on('data', (piece: Buffer) => this.#pieces.push(piece));
        return;
      }
      if (name === 'file') this.#fail(secondFile());
      // The parser waits for every part to be read, also one that is refused.
      part.resume();
    });
    this.#parser.on('field', (name, value) => void (name === 'file' && this.#fail(textInPlaceOfFile(value))));
    this.#parser.on('error', () => this.#fail(unparsable()));
  }

  /** Parses the next chunk of the body. False when the form has ended. */
  async read(body: AsyncIterator<Buffer>): Promise<boolean> {
    const next = await body.next();
    if (next.done === true) {
      this.#parser.end();
      if (this.#fault === undefined && !this.#parser.writableFinished) {
        await Promise.race([once(this.#parser, 'finish'), once(this.#parser, 'close')]).catch(() => undefined);
      }
    } else {
      this.#bytes += next.value.length;
      if (this.#bytes > maxBodyBytes) throw bodyTooLarge();
      await new Promise<void>((resolve) => void this.#parser.write(next.value, () => resolve()));
    }
    if (this.#fault !== undefined) throw this.#fault;
    return next.done !== true;
  }

  /** The bytes of the file that were parsed since the last call. */
  take(): Buffer[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  readonly #fail = (fault: Error): void => {
    this.#fault ??= fault;
  };
}

function parserOf(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw unparsable();
  }
}

function unparsable(): BadRequest {
  return new BadRequest('There was an error parsing the body');
}

const loc = ['body', 'file'];

function missing(): InvalidRequest {
  return new InvalidRequest([{ type: 'missing', loc, msg: 'Field required', input: null }]);
}

function textInPlaceOfFile(input: string): InvalidRequest {
  const msg = 'Value error, Expected UploadFile, received: text';
  return new InvalidRequest([{ type: 'value_error', loc, msg, input, ctx: { error: {} } }]);
}

function secondFile(): InvalidRequest {
  const msg = 'Value error, Expected one file, received several';
  return new InvalidRequest([{ type: 'value_error', loc, msg, input: null, ctx: { error: {} } }]);
}
