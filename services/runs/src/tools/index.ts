export { builtInTools, flowTools, laterTools } from './built-in-tools.ts';
export type { ToolDeps } from './built-in-tools.ts';
export { SET_STATE } from './set-state.ts';
export { readToolsConfig, toolSettings } from './settings.ts';
