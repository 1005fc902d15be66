import type { EndedSpan } from '@agentmesh/lib/spans';

/** The span with those attributes alone that OpenTelemetry knows. The code of an app sets any, and BigInts and circles cannot be printed as JSON. */
export function plainSpan(span: EndedSpan): EndedSpan {
  const attributes = Object.entries(span.attributes).filter(([, value]) =>
    Array.isArray(value) ? value.every(isPlain) : isPlain(value),
  );
  return { ...span, attributes: Object.fromEntries(attributes) };
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
