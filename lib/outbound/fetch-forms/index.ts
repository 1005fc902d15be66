export { toRequest } from './to-request.ts';
export { toResponse } from './to-response.ts';
