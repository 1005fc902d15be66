import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { TestMesh } from '../mesh.ts';

/**
 * Waits until what the gateway has logged up to now is in `mesh.lines`: lines come through a pipe, and may come after the answer of the request that they
 * are about. Lines of other processes may still be on their way.
 */
export async function settledLog(mesh: TestMesh): Promise<readonly string[]> {
  const requestId = randomUUID();
  const answer = await fetch(`${mesh.url}/nowhere`, { headers: { 'x-request-id': requestId } });
  await answer.arrayBuffer();
  await expect.poll(() => mesh.lines.some((line) => line.includes(requestId))).toBe(true);
  return mesh.lines;
}
