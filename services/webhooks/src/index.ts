export { webhooks } from './service.ts';
