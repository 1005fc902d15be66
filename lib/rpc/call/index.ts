export { afterChange } from './after-change.ts';
export { type CallOrigin, outgoingContext, REQUEST_ID, spanOf, TRACEPARENT, withContext } from './call-origin.ts';
export { callersOf } from './callers.ts';
export { callingService, valuesOfCaller } from './calling-service.ts';
export { checkAccountId } from './check-account-id.ts';
export type { Dispatch, Input } from './dispatch.ts';
export { deriveIdentities, keyIdOf, knownKeys, makeIdentity, readPrivateKey, readPublicKey } from './identity-keys.ts';
export { isMeshCode, isMeshError, type MeshCode, MeshError } from './mesh-error.ts';
export type {
  ConsumerCallsTaker,
  ConsumerGrant,
  ConsumerGrants,
  MeshIdentities,
  MeshOptions,
  MeshTls,
  NamedKey,
} from './mesh-options.ts';
export { madeOnce } from './made-once.ts';
export { meshWord } from './mesh-word.ts';
export {
  abortFailure,
  AnswerWindow,
  canceled,
  deadlineExceeded,
  cutOff,
  draining,
  effectiveTimeout,
  internalError,
  leavingReason,
  ReadCredit,
  rpcUnimplemented,
  serviceSilent,
  toMeshError,
} from './rules.ts';
export { newMessage } from './new-message.ts';
export { singleInput } from './single-input.ts';
export { streamResponse, unaryResponse } from './transport-response.ts';
