export { addUsage } from './usage.ts';
