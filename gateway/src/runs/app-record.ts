import { Type } from 'typebox';
import { freeForm, maybe } from '../edge/records/keywords.ts';

const appInfo = {
  name: Type.String(),
  rootAgentName: Type.String(),
  description: Type.String(),
  language: Type.String(),
  isComputerUse: Type.Boolean({ default: false }),
  agents: maybe(freeForm()),
};

export const AppInfo = Type.Object(appInfo, { title: 'AppInfo' });

/** A mistake in an app's folder. `line` and `column` count from 1 and are absent where no place in a text is meant. */
const FileMistake = Type.Object(
  {
    file: Type.String(),
    line: Type.Optional(Type.Integer()),
    column: Type.Optional(Type.Integer()),
    key: Type.String(),
    reason: Type.String(),
  },
  { title: 'FileMistake' },
);

/** `stale`: runs with older files than those with the mistakes. `loading`: cannot run yet, and will without a change. */
const AppState = Type.Enum(['ready', 'loading', 'failed', 'stale']);

const DetailedApp = Type.Object(
  { ...appInfo, state: AppState, mistakes: Type.Array(FileMistake) },
  { title: 'DetailedApp' },
);

export const AppList = Type.Union([
  Type.Array(Type.String()),
  Type.Object({ apps: Type.Array(DetailedApp) }, { title: 'DetailedAppList' }),
]);

export const ListAppsQuery = Type.Object({ detailed: Type.Boolean({ default: false }) }, { required: [] });
