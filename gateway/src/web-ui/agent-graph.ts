/** Tree of an app's agents, as the runs service prints it. */
export interface AppGraph {
  readonly name: string;
  readonly root_agent: AgentNode;
}

export interface AgentNode {
  readonly name: string;
  readonly tools?: readonly { readonly name: string }[];
  readonly sub_agents?: readonly AgentNode[];
}

export interface GraphStyle {
  readonly dark: boolean;
  /** Names of agents and tools to highlight. */
  readonly lit?: ReadonlySet<string>;
}

const palettes = {
  dark: { page: '#0F172A', fill: '#1E293B', line: '#94A3B8', text: '#F8FAFC', lit: '#0F5223' },
  light: { page: '#F8FAFC', fill: '#FFFFFF', line: '#64748B', text: '#0F172A', lit: '#69CB87' },
};

/** Graph of an agent, its sub-agents and their tools, in the DOT language. */
export function dotOf(root: AgentNode, { dark, lit = new Set() }: GraphStyle): string {
  const { page, fill, line, text, lit: litFill } = dark ? palettes.dark : palettes.light;
  const node = (name: string, style: string) => {
    const color = lit.has(name) ? ` fillcolor=${quote(litFill)}` : '';
    return `${quote(name)} [style=${quote(style)}${color}]`;
  };
  const draw = (agent: AgentNode): string[] => [
    node(agent.name, 'rounded,filled'),
    ...(agent.tools ?? []).flatMap((tool) => [
      node(tool.name, 'rounded,filled,dashed'),
      `${quote(agent.name)} -> ${quote(tool.name)} [style="dashed"]`,
    ]),
    ...(agent.sub_agents ?? []).flatMap((sub) => [...draw(sub), `${quote(agent.name)} -> ${quote(sub.name)}`]),
  ];
  return [
    `digraph ${quote(root.name)} {`,
    `bgcolor=${quote(page)} pad=0.5`,
    `node [shape="rect" fillcolor=${quote(fill)} color=${quote(line)} fontcolor=${quote(text)} fontname="Helvetica"]`,
    `edge [color=${quote(line)} arrowhead="vee"]`,
    ...draw(root),
    '}',
  ].join('\n');
}

/** Agent at the end of a path of names. The path may begin with the root's name. */
export function findAgent(root: AgentNode, path: string): AgentNode | undefined {
  const names = path.split('/').filter((name) => name !== '');
  const below = names[0] === root.name ? names.slice(1) : names;
  return below.reduce<AgentNode | undefined>((at, name) => at?.sub_agents?.find((sub) => sub.name === name), root);
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
