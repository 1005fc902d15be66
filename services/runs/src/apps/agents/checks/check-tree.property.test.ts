import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTree } from './check-tree.ts';

const writes = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 30 }), fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 })),
  {
    maxLength: 80,
  },
);

/** Levels and agents below and with an agent, counted by walking every path. */
function walk(
  id: number,
  edges: ReadonlyMap<number, readonly number[]>,
  above: readonly number[] = [],
): { levels: number; agents: number } {
  expect(above).not.toContain(id);
  const below = (edges.get(id) ?? []).map((child) => walk(child, edges, [...above, id]));
  return {
    levels: 1 + Math.max(0, ...below.map(({ levels }) => levels)),
    agents: 1 + below.reduce((sum, { agents }) => sum + agents, 0),
  };
}

test('no accepted tree has a circle, 21 levels or 101 agents', () => {
  fc.assert(
    fc.property(writes, (list) => {
      const edges = new Map<number, number[]>(Array.from({ length: 30 }, (_, index) => [index + 1, []]));
      for (const [agentId, below] of list) {
        const others = new Map([...edges].filter(([id]) => id !== agentId));
        const faults = checkTree({ agentId, subAgents: below.map((id) => `agent${id}`), edges: others });
        if (faults.length === 0) edges.set(agentId, below);
      }
      for (const id of edges.keys()) {
        const { levels, agents } = walk(id, edges);
        expect(levels).toBeLessThanOrEqual(20);
        expect(agents).toBeLessThanOrEqual(100);
      }
    }),
    { numRuns: 200 },
  );
});
