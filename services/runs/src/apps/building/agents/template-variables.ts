const placeholder = /\{+[^{}]*\}+/g;
const stateName = /^(?:(?:app|user|temp):)?[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * State keys that an instruction cannot do without: `{key}`, `{user:key}`; not `{key?}`, which may be absent, and not
 * `{artifact.name}`. Other text in braces is no variable. The syntax is that of ADK 2.0.0 (agents/instructions.js).
 */
export function requiredVariables(instruction: string): string[] {
  const inBraces = [...instruction.matchAll(placeholder)].map(([text]) =>
    text.replace(/^\{+/, '').replace(/\}+$/, '').trim(),
  );
  return [...new Set(inBraces.filter((name) => stateName.test(name)))];
}
