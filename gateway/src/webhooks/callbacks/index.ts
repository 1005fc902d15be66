export { addCallbacks } from './callbacks.ts';
