import { compileFunction } from 'node:vm';
import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  isMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence, Edition } from '@bufbuild/protobuf/wkt';

type Init = MessageInitShape<DescMessage>;
type Make = (init: object) => Message;

const makers = new WeakMap<DescMessage, Make>();

/**
 * Like `create` of protobuf-es, which stores each field by a computed name: V8 then finds the place of every field anew, for each message. Here a function
 * is compiled for each type, whose messages have one hidden class.
 */
export function newMessage<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): MessageShape<Desc> {
  return isMessage(init, schema) ? init : (makerOf(schema)(init) as MessageShape<Desc>);
}

function makerOf(schema: DescMessage): Make {
  let make = makers.get(schema);
  if (make === undefined) {
    make = schema.members.every(isSimple) ? compile(schema) : (init) => create(schema, init as Init);
    makers.set(schema, make);
  }
  return make;
}

/** Whether `compile` knows the member. Other members have defaults, wrappers or presence that only protobuf-es knows. */
function isSimple(member: DescField | DescOneof): boolean {
  if (member.kind === 'oneof') return member.fields.every(({ message }) => isOwn(message));
  const { fieldKind, message, presence } = member;
  if (fieldKind === 'map' || !isOwn(message)) return false;
  const isProto3 = member.parent.file.edition === Edition.EDITION_PROTO3;
  return isProto3 && (presence === FeatureSet_FieldPresence.IMPLICIT || fieldKind !== 'enum');
}

function isOwn(message: DescMessage | undefined): boolean {
  return message === undefined || !message.typeName.startsWith('google.protobuf.');
}

/** One line of the function for each member; a member that may be absent comes behind the others. */
function compile(schema: DescMessage): Make {
  const values: Record<string, unknown> = {};
  const always: string[] = [`$typeName: ${JSON.stringify(schema.typeName)}`];
  const maybe: string[] = [];
  schema.members.forEach((member, index) => {
    const name = JSON.stringify(member.localName);
    const field = `init[${name}]`;
    const value = `values.m${index}`;
    values[`m${index}`] = valueOf(member);
    if (member.kind === 'oneof') always.push(`${name}: ${value}(${field})`);
    else if (member.fieldKind === 'list')
      always.push(`${name}: ${member.message ? `${value}(${field})` : `${field} ?? []`}`);
    else if (member.fieldKind === 'message') maybe.push(`if (${field} != null) message[${name}] = ${value}(${field});`);
    else if (member.presence === FeatureSet_FieldPresence.IMPLICIT) always.push(`${name}: ${field} ?? ${value}`);
    else maybe.push(`if (${field} != null) message[${name}] = ${field};`);
  });
  const text = `const message = { ${always.join(', ')} };\n${maybe.join('\n')}\nreturn message;`;
  const make = compileFunction(text, ['values', 'init']) as (values: object, init: object) => Message;
  return (init) => make(values, init);
}

/** Values that the compiled function needs for a member: its zero value, or a function that makes a value of what was given. */
function valueOf(member: DescField | DescOneof): unknown {
  if (member.kind === 'oneof') return oneofOf(member);
  const { message } = member;
  if (message === undefined) return (create(member.parent) as unknown as Record<string, unknown>)[member.localName];
  const one = (given: Init): Message => newMessage(message, given);
  return member.fieldKind === 'list' ? (given: readonly Init[] | undefined) => given?.map(one) ?? [] : one;
}

interface Chosen {
  readonly case: string | undefined;
  readonly value?: unknown;
}

function oneofOf({ fields }: DescOneof): (given: Chosen | undefined) => Chosen {
  const messages = new Map(fields.map(({ localName, message }) => [localName, message]));
  return (given) => {
    if (given?.case === undefined) return { case: undefined };
    const message = messages.get(given.case);
    return { case: given.case, value: message ? newMessage(message, given.value as Init) : given.value };
  };
}
