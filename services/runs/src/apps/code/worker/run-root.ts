import { createEvent, type Event, type InvocationContext, isBaseAgent, type Workflow } from '@google/adk/core';
import { resumeLoop } from '../../turns/takeover/resume-loop.ts';
import { RunNotContinued } from '../../turns/takeover/run-not-continued.ts';
import type { Root } from './loading/root.ts';

type Loop = AsyncGenerator<Event, void, void>;
type RunNode = (node: Workflow, context: InvocationContext) => Loop;

/** Runs an app's root as ADK's Runner does, plugins included. The user's message is stored already: plugins cannot change it. */
export async function* runRoot(root: Root, context: InvocationContext, isTakeover: boolean): Loop {
  const { pluginManager } = context;
  const early = await pluginManager.runBeforeRunCallback({ invocationContext: context });
  if (early) {
    yield createEvent({ invocationId: context.invocationId, author: 'model', content: early });
    return;
  }
  for await (const event of await (isTakeover ? resume(root, context) : openLoop(root, context))) {
    const changed = await pluginManager.runOnEventCallback({ invocationContext: context, event });
    yield changed === undefined ? event : { ...changed, author: changed.author ?? event.author ?? root.name };
  }
  await pluginManager.runAfterRunCallback({ invocationContext: context });
}

function resume(root: Root, context: InvocationContext): Loop {
  if (!isBaseAgent(root)) throw new RunNotContinued(`"${root.name}" is a workflow`);
  return resumeLoop(root, context);
}

async function openLoop(root: Root, context: InvocationContext): Promise<Loop> {
  if (isBaseAgent(root)) return (context.agent ?? root).runAsync(context);
  // Not a part of ADK's index.
  const place = new URL('workflow/run_node_as_invocation.js', import.meta.resolve('@google/adk'));
  const { runNodeAsInvocation } = (await import(place.href)) as { runNodeAsInvocation: RunNode };
  return runNodeAsInvocation(root, context);
}
