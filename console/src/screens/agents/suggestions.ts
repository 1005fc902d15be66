/** A word that the editor offers at the caret, with its meaning. */
export interface Suggestion {
  readonly word: string;
  readonly about: string;
}

export interface Suggestions {
  /** Length of what is typed of the word already. */
  readonly typed: number;
  readonly items: readonly Suggestion[];
}

/** The parts of our JSON Schema of agents that suggestions are made of. */
export interface AgentSchema {
  readonly allOf?: readonly Branch[];
}

interface Branch {
  readonly if?: { readonly properties?: { readonly agent_class?: { readonly const?: string } } };
  readonly then?: { readonly properties?: Readonly<Record<string, Property>> };
}

interface Property {
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly type?: string;
  readonly anyOf?: readonly Property[];
  readonly items?: { readonly then?: Property };
}

const most = 8;
const none: Suggestions = { typed: 0, items: [] };

/** Suggestions for the line up to the caret: keys of an agent, values of a key, models, and tools of a list. */
export function suggestionsAt(before: string, schema: AgentSchema, models: readonly string[]): Suggestions {
  const lines = before.split('\n');
  const line = lines.at(-1) ?? '';
  const classOf = /^agent_class:\s*(\w+)/m.exec(before)?.[1] ?? 'LlmAgent';
  const branch = schema.allOf?.find((it) => it.if?.properties?.agent_class?.const === classOf);
  const properties = branch?.then?.properties ?? {};
  const key = /^([a-z_]+)$/.exec(line)?.[1];
  if (key !== undefined) return keysLike(key, properties);
  const [, named = '', value] = /^([a-z_]+):\s+(\S*)$/.exec(line) ?? [];
  if (value !== undefined) return like(value, named === 'model' ? models : valuesOf(properties[named]));
  const tool = /^\s+- (\w*)$/.exec(line)?.[1];
  const list = lines.findLast((it) => /^[a-z_]+:/.test(it));
  if (tool === undefined || list === undefined || !list.startsWith('tools:')) return none;
  return like(tool, valuesOf(properties['tools']?.items?.then));
}

function keysLike(typed: string, properties: Readonly<Record<string, Property>>): Suggestions {
  const found = Object.entries(properties).filter(([name]) => name.startsWith(typed));
  return {
    typed: typed.length,
    items: found.slice(0, most).map(([name, it]) => ({ word: `${name}: `, about: aboutOf(it) })),
  };
}

function like(typed: string, words: readonly string[]): Suggestions {
  const found = words.filter((word) => word.startsWith(typed) && word !== typed);
  return { typed: typed.length, items: found.slice(0, most).map((word) => ({ word, about: '' })) };
}

function valuesOf(property: Property | undefined): readonly string[] {
  if (property === undefined) return [];
  if (property.type === 'boolean') return ['true', 'false'];
  const own = (property.enum ?? []).filter((it) => typeof it === 'string');
  return [...own, ...(property.anyOf ?? []).flatMap(valuesOf)];
}

function aboutOf({ description, type }: Property): string {
  return description ?? type ?? '';
}
