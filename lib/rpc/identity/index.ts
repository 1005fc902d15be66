export { IdentityToken } from './identity-token.ts';
export { type CallCheck, createCallCheck, type PresentedCall } from './call-check.ts';
export { type Caller, callerOf } from './caller.ts';
export { createProof, MESH_IDENTITY, type Proof } from './proof.ts';
