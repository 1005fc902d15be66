import { createMesh, type Mesh, type MeshNode, type MeshOptions } from '../index.ts';
import { asDeclared } from './as-declared.ts';

/** A node that is also a mesh, whose clients call as those of `asDeclared` do. */
export type TestNode = MeshNode & Mesh;

export function testNode(options: MeshOptions): TestNode {
  const node = createMesh(options);
  return { ...node, ...asDeclared(node) };
}
