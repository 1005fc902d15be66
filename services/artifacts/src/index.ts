export { artifacts } from './service.ts';
