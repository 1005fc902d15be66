export { runs } from './service.ts';
