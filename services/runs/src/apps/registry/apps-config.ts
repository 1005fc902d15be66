import type { ModelsConfig } from '../../models/models.ts';
import type { CodeConfig } from '../code/host/code-settings.ts';
import type { RunLimits } from '../definition/settings/run-limits.ts';
import type { ToolsConfig } from '../tools/settings.ts';

/** The part of the service's configuration that apps are opened with. */
export interface AppsConfig {
  readonly agentsDir: string;
  /** Apps that this process serves; `agent*` stands for all agents that are records. Empty: all. */
  readonly apps: readonly string[];
  /** See AppSources. */
  readonly refusesMistakes: boolean;
  /** Limits of each run. */
  readonly limits: RunLimits;
  /** Time that attempts go on without a lease, in milliseconds. */
  readonly outageMs: number;
  readonly models: ModelsConfig;
  readonly tools: ToolsConfig;
  readonly code: CodeConfig;
}
