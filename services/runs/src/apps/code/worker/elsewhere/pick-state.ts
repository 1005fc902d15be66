/** The values of the state that a `state_header_mapping` names. */
export function pickState(
  mapping: Readonly<Record<string, string>>,
  state: (key: string) => unknown,
): Record<string, unknown> {
  const values = Object.keys(mapping).map((key) => [key, state(key)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined && value !== null));
}
