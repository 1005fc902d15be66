import type { BaseAgent, Workflow } from '@google/adk/core';

/** Kinds of root that an app may export. */
export type Root = BaseAgent | Workflow;
