export { createLocalBus } from './create-local-bus.ts';
export { fakeDeletions } from './fake-deletions.ts';
