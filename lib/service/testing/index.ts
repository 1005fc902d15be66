export { fakeDeletions } from './fake-deletions.ts';
