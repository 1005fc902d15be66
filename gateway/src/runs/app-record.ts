import { Type } from 'typebox';
import { freeForm, maybe } from '../edge/records/keywords.ts';

export const AppInfo = Type.Object(
  {
    name: Type.String(),
    rootAgentName: Type.String(),
    description: Type.String(),
    language: Type.String(),
    isComputerUse: Type.Boolean({ default: false }),
    agents: maybe(freeForm()),
  },
  { title: 'AppInfo' },
);

export const AppList = Type.Union([
  Type.Array(Type.String()),
  Type.Object({ apps: Type.Array(AppInfo) }, { title: 'DetailedAppList' }),
]);

export const ListAppsQuery = Type.Object({ detailed: Type.Boolean({ default: false }) }, { required: [] });
