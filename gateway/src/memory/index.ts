export { addMemory } from './memory.ts';
export { memoryExport } from './export.ts';
