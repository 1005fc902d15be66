export { ask } from './ask.ts';
export { toRequest } from './to-request.ts';
export { toResponse } from './to-response.ts';
export { countRead } from './wire-bound.ts';
