export { addConsole } from './console.ts';
