import { type App, type BasePlugin, isApp, isRunnableRoot } from '@google/adk/core';
import type { Root } from './root.ts';

export interface FoundRoot {
  readonly root: Root;
  readonly plugins: readonly BasePlugin[];
  /** See Loaded. */
  readonly settingsJson?: Uint8Array;
}

/**
 * The root that a module exports, looked for in the order of ADK: `app`, `rootApp` or any other App, then `rootAgent`, `default`, or any
 * other agent. Undefined when it exports none.
 */
export function rootOfModule(module: Readonly<Record<string, unknown>>): FoundRoot | undefined {
  const fallback = module['default'];
  const inner =
    typeof fallback === 'object' && fallback !== null && 'default' in fallback ? fallback.default : undefined;
  const values = Object.values(module);
  const app = [module['app'], module['rootApp'], fallback, inner, ...values].find((value): value is App =>
    isApp(value),
  );
  if (app !== undefined) return { root: app.rootAgent, plugins: app.plugins };
  const root = [module['rootAgent'], fallback, inner, ...values].find((value): value is Root => isRunnableRoot(value));
  return root && { root, plugins: [] };
}
