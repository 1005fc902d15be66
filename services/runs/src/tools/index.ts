export { builtInTools, toolNames } from './built-in-tools.ts';
export { echoTools } from './echo-tools.ts';
export type { ToolDeps } from './built-in-tools.ts';
export { REQUEST_CREDENTIAL } from './request-credential.ts';
export { readToolsConfig, toolSettings } from './settings.ts';
