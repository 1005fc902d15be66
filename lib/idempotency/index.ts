export { isKeyed, keyedHeaders, passedKey } from './keyed-headers.ts';
export { isKeyUsed, keyedRequest, type UnaryHandler } from './keyed-request.ts';
export { createForgetKeys, deleteAccountKeys, forgetKeys } from './kept-keys.ts';
export { once } from './once.ts';
export { type Commit, committedOnce, onceAtCommit } from './once-at-commit.ts';
export { uuidOf } from './uuid-of.ts';
