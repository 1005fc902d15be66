export {
  afterChange,
  callersOf,
  callingService,
  checkAccountId,
  type ConsumerGrant,
  type ConsumerGrants,
  deriveIdentities,
  isMeshError,
  keyIdOf,
  knownKeys,
  makeIdentity,
  type MeshCode,
  MeshError,
  type MeshIdentities,
  type MeshOptions,
  type MeshTls,
  meshWord,
  type NamedKey,
  newMessage,
  readPrivateKey,
  readPublicKey,
} from './call/index.ts';
export { ConsumerAudit, type ConsumerCalls, type RecordConsumerCalls } from './consumers/index.ts';
export { createMesh, type MeshNode } from './create-mesh.ts';
export type { Mesh } from './mesh.ts';
export { IdentityToken } from './identity/index.ts';
export { CallUntil } from './local/index.ts';
export { leavingOf, Roster } from './server/index.ts';
export { decode as decodeMessage, encode as encodeMessage } from './messages/index.ts';
