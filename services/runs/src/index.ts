export { runs } from './service.ts';
export { validate } from './validate.ts';
