const begin = /^[\p{ID_Start}$_]/u;
const outside = /[^\p{ID_Continue}$_-]+/gu;

/** The name that ADK takes for an agent: `agent_name` with `_` for the characters that ADK refuses. */
export function adkName(agentName: string): string {
  const name = agentName.replaceAll(outside, '_');
  if (name === 'user') return 'user_';
  return begin.test(name) ? name : `_${name}`;
}

/** A name that no agent of the tree has yet: `name`, or `name_2` and so on. It is added to `taken`. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`;
  taken.add(unique);
  return unique;
}
