import { compileFunction } from 'node:vm';
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { madeOnce } from '../call/index.ts';
import { unusual } from './bytes-reader.ts';
import type { BytesWriter } from './bytes-writer.ts';
import { delimitedTag, isPacked, scalarOf } from './compiled-fields.ts';

/** Writes a message or its plain fields. Throws `unusual` for one with fields that this process does not know. */
export type Write = (writer: BytesWriter, message: object) => void;

/**
 * A function that writes messages of a plain type: it names each field, so V8 knows its place. protobuf-es has a list of closures for each type, which look up each field by a
 * computed name, and wants whole messages.
 */
export const writerOf = madeOnce(compile);

function compile(type: DescMessage): Write {
  const children: Record<string, Write> = {};
  const lines = type.fields
    .toSorted((one, other) => one.number - other.number)
    .map((field) => {
      if (field.message !== undefined) children[`m${field.number}`] = writerOf(field.message);
      return lineOf(field);
    });
  const text = `if (message.$unknown !== undefined) throw unusual;\nlet value;\n${lines.join('\n')}`;
  const parameters = ['children', 'unusual', 'writer', 'message'];
  const write = compileFunction(text, parameters) as (...values: unknown[]) => void;
  return (writer, message) => write(children, unusual, writer, message);
}

function lineOf(field: DescField): string {
  const name = JSON.stringify(field.localName);
  if (field.oneof) {
    const oneof = `message[${JSON.stringify(field.oneof.localName)}]`;
    return `if (${oneof} != null && ${oneof}.case === ${name}) { value = ${oneof}.value; ${writing(field)} }`;
  }
  return `value = message[${name}]; if (${isSet(field)}) ${linesOf(field)}`;
}

function linesOf(field: DescField): string {
  if (field.fieldKind === 'map') return mapLines(field);
  if (field.fieldKind !== 'list') return `{ ${writing(field)} }`;
  if (!isPacked(field)) return `for (const one of value) { ${writing(field, 'one')} }`;
  const each = `for (const one of value) writer.${scalarOf(field)?.name}(one);`;
  return `{ writer.uint32(${delimitedTag(field)}); const begun = writer.begin(); ${each} writer.end(begun); }`;
}

/** Conditions by which a value is not the zero of its type; numbers and enums have another one. */
const notZero: Partial<Record<ScalarType, string>> = {
  [ScalarType.STRING]: "value !== ''",
  [ScalarType.BYTES]: 'value.byteLength !== 0',
  [ScalarType.BOOL]: 'value !== false',
  [ScalarType.DOUBLE]: '!Object.is(value, 0)',
  [ScalarType.FLOAT]: '!Object.is(value, 0)',
};

/** Whether `value` is written. */
function isSet(field: DescField): string {
  const isGiven = 'value != null';
  if (field.fieldKind === 'list') return `${isGiven} && value.length > 0`;
  if (field.fieldKind === 'map' || field.message !== undefined) return isGiven;
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT) return isGiven;
  return `${isGiven} && ${(field.scalar && notZero[field.scalar]) ?? 'value != 0'}`;
}

/** Writes one value with its tag. */
function writing(field: DescField, value = 'value'): string {
  const scalar = scalarOf(field);
  if (scalar !== undefined) return `writer.uint32(${scalar.tag}); writer.${scalar.name}(${value});`;
  const child = `children.m${field.number}(writer, ${value});`;
  return `writer.uint32(${delimitedTag(field)}); const begun = writer.begin(); ${child} writer.end(begun);`;
}

/** Entries of texts: the key is field 1 of each, the value field 2. */
function mapLines(field: DescField): string {
  const entry = 'writer.uint32(10); writer.string(key); writer.uint32(18); writer.string(value[key]);';
  return `for (const key of Object.keys(value)) { writer.uint32(${delimitedTag(field)}); const begun = writer.begin(); ${entry} writer.end(begun); }`;
}
