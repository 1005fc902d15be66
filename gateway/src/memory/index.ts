export { addMemory } from './memory.ts';
