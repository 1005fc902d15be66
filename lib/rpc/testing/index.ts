export { unserved } from './unserved.ts';
