export { builtInTools, toolNames } from './built-in-tools.ts';
export type { ToolDeps } from './built-in-tools.ts';
export { readToolsConfig, toolSettings } from './settings.ts';
