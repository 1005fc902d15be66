import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { Edition } from '@bufbuild/protobuf/wkt';
import { madeOnce } from '../call/index.ts';

/** Methods of BytesWriter and BytesReader, by the type that they write and read, with their wire types. */
const scalars: Partial<Record<ScalarType, readonly [name: string, wireType: number]>> = {
  [ScalarType.STRING]: ['string', 2],
  [ScalarType.BYTES]: ['bytes', 2],
  [ScalarType.BOOL]: ['bool', 0],
  [ScalarType.INT32]: ['int32', 0],
  [ScalarType.UINT32]: ['uint32', 0],
  [ScalarType.INT64]: ['int64', 0],
  [ScalarType.DOUBLE]: ['double', 1],
  [ScalarType.FLOAT]: ['float', 5],
};

/** Wire type of what has its length before it. */
const delimited = 2;

/** How a field is written, where it is no message. */
export interface Scalar {
  /** Name of a method of BytesWriter and BytesReader. */
  readonly name: string;
  /** The tag of one value. */
  readonly tag: number;
}

/** Undefined for a message, and for a type that the mesh hardly uses. */
export function scalarOf(field: DescField): Scalar | undefined {
  if (field.message !== undefined) return undefined;
  const [name, wireType] = scalars[field.enum === undefined ? (field.scalar ?? 0) : ScalarType.INT32] ?? [];
  return name === undefined || wireType === undefined ? undefined : { name, tag: tagOf(field.number, wireType) };
}

/** The tag of a message, a map or packed numbers. */
export function delimitedTag({ number }: DescField): number {
  return tagOf(number, delimited);
}

/** Whether all its values go as one. */
export function isPacked(field: DescField): boolean {
  return field.fieldKind === 'list' && field.packed;
}

/** Whether functions are compiled for a type: protobuf-es reads and writes the few others, which refer to themselves, or have types that are rare. */
export const isCompiled = madeOnce((type: DescMessage) => isPlain(type));

function isPlain(type: DescMessage, within: readonly DescMessage[] = []): boolean {
  if (type.file.edition !== Edition.EDITION_PROTO3 || type.typeName.startsWith('google.protobuf.')) return false;
  return !within.includes(type) && type.fields.every((field) => isPlainField(field, [...within, type]));
}

function isPlainField(field: DescField, within: readonly DescMessage[]): boolean {
  if (field.fieldKind === 'map') return field.mapKey === ScalarType.STRING && field.scalar === ScalarType.STRING;
  if (field.message !== undefined) return isPlain(field.message, within);
  return scalarOf(field) !== undefined && !('longAsString' in field && field.longAsString);
}

function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}
