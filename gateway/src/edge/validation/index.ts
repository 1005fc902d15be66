export { readBase64 } from './base64.ts';
export { faults, notBase64 } from './fault.ts';
export { FormFields } from './form-fields.ts';
export type { Issue } from './issue.ts';
export type { JsonSchema } from './json-schema.ts';
export { type Outcome, type Place, requestCheck } from './request-check.ts';
export { noNul } from './text.ts';
