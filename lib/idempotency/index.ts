export { keyedHeaders, passedKey } from './keyed-headers.ts';
export { createForgetKeys, deleteAccountKeys, forgetKeys } from './kept-keys.ts';
export { once } from './once.ts';
