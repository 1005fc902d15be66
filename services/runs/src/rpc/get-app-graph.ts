import type { Context } from '../context.ts';
import type { Handlers } from './handlers.ts';

export function getAppGraph(context: Context): Handlers['getAppGraph'] {
  return ({ appName }) => ({ json: context.registry.get(appName).graphJson });
}
