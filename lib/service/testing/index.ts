export { fakeDeletions } from './fake-deletions.ts';
export { startAlone, type ServiceAlone } from './start-alone.ts';
