export { createMemoryRelease } from './memory-release.ts';
