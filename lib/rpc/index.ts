export {
  callersOf,
  checkAccountId,
  isMeshError,
  type MeshCode,
  MeshError,
  type MeshOptions,
  type MeshTls,
  meshWord,
} from './call/index.ts';
export { createMesh, type MeshNode } from './create-mesh.ts';
export type { Mesh } from './mesh.ts';
export { Roster } from './server/index.ts';
