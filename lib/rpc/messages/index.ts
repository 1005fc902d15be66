export { asBuffer, decode, encode } from './codec.ts';
