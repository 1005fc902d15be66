import { text } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';

/** Reads the OpenAPI document from stdin and prints the types of the client. */
const document = JSON.parse(await text(process.stdin), withoutChoices) as OpenApi;
for (const operation of Object.values(document.paths).flatMap(Object.values<Operation>)) {
  // Failures become errors of their own classes, and headers are the transport's concern.
  operation.responses = Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status < '3'));
  operation.parameters = operation.parameters?.filter((it) => it.in !== 'header') ?? [];
}
const types = await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], { defaultNonNullable: false });
process.stdout.write(
  `// Generated from the OpenAPI document by \`npm run generate\`; do not edit.\n\n${astToString(types)}`,
);

/** Leaves out `anyOf` that only says which fields are required together: it would become `unknown`. */
function withoutChoices(key: string, value: unknown): unknown {
  const isChoice = (it: unknown): boolean => Object.keys(it as object).join() === 'required';
  return key === 'anyOf' && Array.isArray(value) && value.every(isChoice) ? undefined : value;
}

interface Operation {
  responses: Record<string, unknown>;
  parameters?: { in: string }[];
}

interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
}
