import type { Event } from '@google/adk/core';
import { agentFields } from '@agentmesh/proto/run-record';
import { type AppVersion, appVersion } from '../../apps/building/app-version.ts';
import { tellRun } from '../../tell-run.ts';
import type { MissingTool, MissingTools } from '../../models/use/model-caller.ts';

/** Most sources of tools that a run names as missing. */
const mostMissing = 20;

/** Facts of the agent that the record of a run tells, and an event where the agent is not as its files say. */
export class ToldAgent implements MissingTools {
  #version: AppVersion | undefined;
  /** The next event tells the facts. */
  #isUntold = false;

  is(version: AppVersion): void {
    this.#version = version;
    this.#isUntold = version.agent.state !== undefined;
  }

  /** The facts as JSON, for the end of an attempt; undefined before they are known. */
  get json(): Uint8Array | undefined {
    return this.#version?.json;
  }

  noteMissing(tool: MissingTool): void {
    const [name, reason] = [storable(tool.name), storable(tool.reason)];
    const { agent } = this.#version ?? {};
    const { unavailableTools: known = [] } = agent ?? {};
    if (agent === undefined || known.length >= mostMissing || known.some((tool) => tool.name === name)) return;
    this.#version = appVersion({ ...agent, unavailableTools: [...known, { name, reason }] });
    this.#isUntold = true;
    const message = `The tools of ${name} cannot be used, so the agent runs without them: ${reason}`;
    tellRun({ level: 'warn', message, attributes: { name } });
  }

  /** Adds facts that no event has told yet. */
  tellBy(event: Event): void {
    if (event.customMetadata !== undefined) tellFallback(event.customMetadata);
    if (!this.#isUntold || this.#version === undefined) return;
    this.#isUntold = false;
    event.customMetadata = { ...agentFields(this.#version.agent), ...event.customMetadata };
  }
}

/** Tells that another model has answered than the first one: see FallbackLlm. */
function tellFallback({ model, failed_models: failed }: Readonly<Record<string, unknown>>): void {
  if (typeof model !== 'string' || !Array.isArray(failed)) return;
  const message = `The model ${model} has answered in place of ${failed.join(', ')}.`;
  tellRun({ level: 'warn', message, attributes: { model, failedModels: failed.map(String) } });
}

/** Code of agents throws any text. PostgreSQL takes no NUL and no half of a surrogate pair, which is left also where a text was cut. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
