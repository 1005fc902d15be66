export { LocalTransport } from './local-transport.ts';
