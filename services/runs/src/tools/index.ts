export { builtInTools, echoTools, toolNames } from './built-in-tools.ts';
export type { ToolDeps } from './built-in-tools.ts';
export { REQUEST_CREDENTIAL } from './request-credential.ts';
export { readToolsConfig, toolSettings } from './settings.ts';
