import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';

/**
 * A message that shares no fields with `init`, a message of `schema` or its plain fields. Bytes are shared and must not be
 * written into.
 */
export function copyMessage<D extends DescMessage>(schema: D, init: unknown): MessageShape<D> {
  return create(schema, copyData(init) as MessageInitShape<D>);
}

function copyData(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(copyData);
  return copyFields(value as Record<string, unknown>);
}

function copyFields(fields: Record<string, unknown>): Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(fields);
  // Fields with explicit presence have their defaults on the message's prototype.
  const copy: Record<string, unknown> =
    prototype === Object.prototype ? {} : (Object.create(prototype as object | null) as Record<string, unknown>);
  for (const key of Object.keys(fields)) copy[key] = copyData(fields[key]);
  return copy;
}
