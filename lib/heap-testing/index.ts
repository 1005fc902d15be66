export { measureInChild } from './measure-in-child.ts';
export { retainedBytes } from './retained-bytes.ts';
