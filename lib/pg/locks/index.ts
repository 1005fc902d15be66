export { ensureLocks } from './ensure-locks.ts';
export { holdLock } from './hold-lock.ts';
