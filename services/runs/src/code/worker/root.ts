import type { BaseAgent, Workflow } from '@google/adk';

/** What an app may export as its root. */
export type Root = BaseAgent | Workflow;
