import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';

/** Fields that name the account of a request, and `actor_id`, the account in whose name auth acts. */
const named = new Set(['account_id', 'account_ids', 'actor_id']);

/** True when a message of this type, or one inside it, can name an account. */
export function canNameAccount(schema: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some((field) => {
    if (named.has(field.name)) return true;
    return field.message !== undefined && canNameAccount(field.message, seen);
  });
}

/** The accounts that a message names, at any depth. Fields that are not set name none. */
export function accountsOf(schema: DescMessage, message: Message): string[] {
  return accountsIn(reflect(schema, message));
}

function accountsIn(message: ReflectMessage): string[] {
  return message.fields.flatMap((field) => (message.isSet(field) ? accountsOfField(message, field) : []));
}

function accountsOfField(message: ReflectMessage, field: DescField): string[] {
  const inside = (value: unknown): string[] => accountsIn(value as ReflectMessage);
  if (field.fieldKind === 'message') return inside(message.get(field));
  if (field.fieldKind === 'list') {
    const values = [...message.get(field)];
    if (field.listKind === 'message') return values.flatMap(inside);
    return named.has(field.name) ? values.map(String) : [];
  }
  if (field.fieldKind === 'map')
    return field.mapKind === 'message' ? [...message.get(field).values()].flatMap(inside) : [];
  return named.has(field.name) ? [String(message.get(field))] : [];
}
