import type { App, Context } from '../context.ts';
import { addA2a } from './a2a/index.ts';
import { addAgui } from './agui/index.ts';
import { addAiSdk } from './ai-sdk/index.ts';
import type { DoorName } from '../door-names.ts';
import { addMcp } from './mcp/index.ts';
import { addOpenAi } from './openai/index.ts';

const doors: Readonly<Record<DoorName, (app: App, context: Context) => void>> = {
  openai: addOpenAi,
  a2a: addA2a,
  mcp: addMcp,
  agui: addAgui,
  'ai-sdk': addAiSdk,
};

/** Protocols of other clients, each of which is translated to runs of the ledger. */
export function addDoors(app: App, context: Context): void {
  for (const name of new Set(context.config.DOORS)) doors[name](app, context);
}
