export { addLogs } from './logs.ts';
