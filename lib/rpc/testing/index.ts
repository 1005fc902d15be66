export { asDeclared } from './as-declared.ts';
export { testNode } from './test-node.ts';
export { unserved } from './unserved.ts';
