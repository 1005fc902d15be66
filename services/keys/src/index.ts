export { keys } from './service.ts';
