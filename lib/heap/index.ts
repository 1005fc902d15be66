export { collectWhenIdle } from './collect-when-idle.ts';
export { createMemoryRelease } from './memory-release.ts';
