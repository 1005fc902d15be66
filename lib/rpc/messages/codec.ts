import {
  create,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { internalError } from '../call/index.ts';
import { BytesReader, unusual } from './bytes-reader.ts';
import { BytesWriter } from './bytes-writer.ts';
import { readerOf } from './compile-reader.ts';
import { writerOf } from './compile-writer.ts';
import { isCompiled } from './compiled-fields.ts';

/** One for all messages: a message is written in one go. */
const writer = new BytesWriter();

/** Throws MeshError when a field holds what its type cannot. */
export function encode<D extends DescMessage>(schema: D, init: MessageInitShape<D>): Buffer {
  try {
    return (isCompiled(schema) ? written(schema, init) : undefined) ?? asBuffer(toBinary(schema, create(schema, init)));
  } catch (error) {
    throw internalError(error);
  }
}

/** Throws MeshError when the bytes are no such message. Bytes fields become Uint8Arrays, as in the local transport. */
export function decode<D extends DescMessage>(schema: D, bytes: Buffer): MessageShape<D> {
  try {
    const message = isCompiled(schema) ? read(schema, bytes) : undefined;
    if (message !== undefined) return message as MessageShape<D>;
    return fromBinary(schema, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    throw internalError(error);
  }
}

/** Undefined where protobuf-es has to write it. */
function written(schema: DescMessage, init: object): Buffer | undefined {
  try {
    writerOf(schema)(writer, init);
    return writer.take();
  } catch (error) {
    writer.clear();
    if (error === unusual) return undefined;
    throw error;
  }
}

/** Undefined where protobuf-es has to read it. */
function read(schema: DescMessage, bytes: Buffer): Message | undefined {
  try {
    return readerOf(schema)(new BytesReader(bytes), bytes.length);
  } catch (error) {
    if (error === unusual) return undefined;
    throw error;
  }
}

/** The same bytes, not a copy. */
export function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
