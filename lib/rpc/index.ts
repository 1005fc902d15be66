export { checkAccountId } from './check-account-id.ts';
export { createMesh, type MeshNode } from './create-mesh.ts';
export { isMeshError } from './is-mesh-error.ts';
export type { Mesh } from './mesh.ts';
export { type MeshCode, MeshError } from './mesh-error.ts';
export type { MeshOptions, MeshTls } from './mesh-options.ts';
export { meshWord } from './mesh-word.ts';
export { Roster } from './roster.ts';
