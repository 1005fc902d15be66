import type { AgentFault } from '../agent-fault.ts';
import { agentAppName, parseAgentId } from '../agent-id.ts';

/** Longest chain of agents, the root included. */
const mostLevels = 20;
/** Most agents in the tree of an app, an agent that is named twice counted twice. */
const mostAgents = 100;

/** Sub-agents by agent. */
export type Edges = ReadonlyMap<number, readonly number[]>;

export interface NewEdges {
  /** The agent that is written; 0 for a new one. */
  readonly agentId: number;
  /** Its sub-agents as its fields name them. */
  readonly subAgents: readonly string[];
  /** The other agents of the account, as they are. */
  readonly edges: Edges;
}

/** Mistakes in the sub-agents of an agent: unknown ones, itself among them, trees that are too deep or too large. */
export function checkTree({ agentId, subAgents, edges }: NewEdges): AgentFault[] {
  const ids = subAgents.map((name) => parseAgentId(name) ?? 0);
  const faults = ids.flatMap((id, index) => {
    const reason = faultOf(id, { agentId, edges });
    const name = subAgents[index] ?? '';
    return reason === undefined
      ? []
      : [{ path: ['sub_agents', String(index)], reason: `"${name.slice(0, 80)}" ${reason}` }];
  });
  if (faults.length > 0) return faults;
  const all = new Map(edges).set(agentId, ids);
  const sizes = measure(all);
  for (const id of [agentId, ...ancestorsOf(agentId, all)]) {
    const { levels = 1, agents = 1 } = sizes.get(id) ?? {};
    const app = id === 0 ? 'this agent' : agentAppName(id);
    if (levels > mostLevels)
      return [tooLarge(`${app} would have ${levels} levels of agents; at most ${mostLevels} are allowed`)];
    if (agents > mostAgents) return [tooLarge(`${app} would consist of more than ${mostAgents} agents`)];
  }
  return [];
}

function faultOf(id: number, { agentId, edges }: Pick<NewEdges, 'agentId' | 'edges'>): string | undefined {
  if (id !== 0 && id === agentId) return 'is the agent itself';
  if (id === 0 || !edges.has(id)) return 'is not an agent of this account';
  return descendantsOf(id, edges).has(agentId) ? 'leads back to this agent' : undefined;
}

/** The agents that can be reached from one, without itself. */
function descendantsOf(id: number, edges: Edges): Set<number> {
  const found = new Set<number>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const below of edges.get(next) ?? []) {
      if (!found.has(below)) open.push(below);
      found.add(below);
    }
  }
  return found;
}

function ancestorsOf(id: number, edges: Edges): Set<number> {
  const above = new Map<number, number[]>();
  for (const [parent, children] of edges) {
    for (const child of children) above.set(child, [...(above.get(child) ?? []), parent]);
  }
  return descendantsOf(id, above);
}

interface TreeSize {
  readonly levels: number;
  /** Number of agents; an agent that is named twice counts twice. Counting stops above the limit. */
  readonly agents: number;
}

/** Measures the tree of each agent. There must be no circles. */
function measure(edges: Edges): Map<number, TreeSize> {
  const sizes = new Map<number, TreeSize>();
  const sizeOf = (id: number): TreeSize => {
    const known = sizes.get(id);
    if (known !== undefined) return known;
    const below = (edges.get(id) ?? []).map(sizeOf);
    const levels = 1 + Math.max(0, ...below.map((size) => size.levels));
    const agents = below.reduce((sum, size) => Math.min(sum + size.agents, mostAgents + 1), 1);
    sizes.set(id, { levels, agents });
    return { levels, agents };
  };
  for (const id of edges.keys()) sizeOf(id);
  return sizes;
}

function tooLarge(reason: string): AgentFault {
  return { path: ['sub_agents'], reason };
}
