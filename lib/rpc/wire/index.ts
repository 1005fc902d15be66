export { asBuffer, asIs, CONNECTION_OPTIONS, decode, encode, MAX_MESSAGE_BYTES } from './grpc-codec.ts';
export { fromStatus, messageTooLarge, toStatus, unavailable } from './grpc-status.ts';
export { keyCheck, MESH_CALLER, MESH_KEY, type MeshCredential, present, presentKey } from './mesh-credential.ts';
export { MessageReader } from './message-reader.ts';
export { MessageWriter } from './message-writer.ts';
