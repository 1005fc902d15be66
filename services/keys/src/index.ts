export { createReseal } from './reseal.ts';
export { keys } from './service.ts';
