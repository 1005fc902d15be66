import { compileFunction } from 'node:vm';
import { create, type DescField, type DescMessage, type DescOneof, type Message } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { madeOnce } from '../call/index.ts';
import { type BytesReader, unusual } from './bytes-reader.ts';
import { delimitedTag, isPacked, scalarOf } from './compiled-fields.ts';

/** Reads a message up to a place. Throws `unusual` where protobuf-es has to. */
export type Read = (reader: BytesReader, end: number) => Message;

/**
 * A function that reads messages of a plain type into objects of one hidden class, the same that `newMessage` makes: protobuf-es stores each field by a computed
 * name.
 */
export const readerOf = madeOnce(compile);

type Member = DescField | DescOneof;

function compile(type: DescMessage): Read {
  const values: Record<string, unknown> = { unusual, setOwn };
  const zero = create(type) as unknown as Record<string, unknown>;
  const variables: string[] = [];
  const cases: string[] = [];
  const always = [`$typeName: ${JSON.stringify(type.typeName)}`];
  const maybe: string[] = [];
  for (const [index, member] of type.members.entries()) {
    const [variable, name] = [`v${index}`, JSON.stringify(member.localName)];
    variables.push(`let ${variable} = ${firstValue(member, index)};`);
    values[`zero${index}`] = zero[member.localName];
    for (const field of member.kind === 'oneof' ? member.fields : [member]) {
      if (field.message !== undefined) values[`m${field.number}`] = readerOf(field.message);
      cases.push(...casesOf(field, variable));
    }
    if (isMaybe(member)) maybe.push(`if (${variable} !== undefined) message[${name}] = ${variable};`);
    else always.push(`${name}: ${member.kind === 'oneof' ? `${variable} ?? { case: undefined }` : variable}`);
  }
  const loop = `while (reader.at < end) switch (reader.uint32()) {\n${cases.join('\n')}\ndefault: throw values.unusual; }`;
  const made = `const message = { ${always.join(', ')} };\n${maybe.join('\n')}\nreturn message;`;
  const text = `${variables.join('\n')}\n${loop}\nif (reader.at !== end) throw values.unusual;\n${made}`;
  const read = compileFunction(text, ['values', 'reader', 'end']) as (...values: unknown[]) => Message;
  return (reader, end) => read(values, reader, end);
}

function firstValue(member: Member, index: number): string {
  if (member.kind === 'oneof' || isMaybe(member)) return 'undefined';
  if (member.fieldKind === 'list') return '[]';
  return member.fieldKind === 'map' ? '{}' : `values.zero${index}`;
}

/** Whether the message may be without it. */
function isMaybe(member: Member): boolean {
  if (member.kind === 'oneof' || member.fieldKind === 'list' || member.fieldKind === 'map') return false;
  return member.message !== undefined || member.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** Reads the values of a field into a variable. */
function casesOf(field: DescField, variable: string): string[] {
  const scalar = scalarOf(field);
  const value = scalar ? `reader.${scalar.name}()` : `values.m${field.number}(reader, reader.end())`;
  const tag = scalar?.tag ?? delimitedTag(field);
  if (field.fieldKind === 'map') return [`case ${delimitedTag(field)}: values.setOwn(reader, ${variable}); break;`];
  if (field.fieldKind === 'list') {
    const all = `for (const last = reader.end(); reader.at < last; ) ${variable}.push(${value});`;
    const packed = scalar && isPacked(field) ? [`case ${delimitedTag(field)}: { ${all} break; }`] : [];
    return [...packed, `case ${tag}: ${variable}.push(${value}); break;`];
  }
  if (field.oneof) {
    const chosen = `{ case: ${JSON.stringify(field.localName)}, value: ${value} }`;
    return [`case ${tag}: if (${variable} !== undefined) throw values.unusual; ${variable} = ${chosen}; break;`];
  }
  if (scalar) return [`case ${tag}: ${variable} = ${value}; break;`];
  return [`case ${tag}: if (${variable} !== undefined) throw values.unusual; ${variable} = ${value}; break;`];
}

/** Reads an entry of texts. */
function setOwn(reader: BytesReader, map: Record<string, string>): void {
  const end = reader.end();
  if (reader.uint32() !== 10) throw unusual;
  const key = reader.string();
  if (key === '__proto__' || reader.uint32() !== 18) throw unusual;
  map[key] = reader.string();
  if (reader.at !== end) throw unusual;
}
