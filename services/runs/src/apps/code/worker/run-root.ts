import { createEvent, type Event, type InvocationContext, isBaseAgent, runNodeAsInvocation } from '@google/adk/core';
import { resumeLoop } from '../../turns/takeover/resume-loop.ts';
import { RunNotContinued } from '../../turns/takeover/run-not-continued.ts';
import type { Root } from './loading/root.ts';

type Loop = AsyncGenerator<Event, void, void>;

/** Runs an app's root as ADK's Runner does, plugins included. The user's message is stored already: plugins cannot change it. */
export async function* runRoot(root: Root, context: InvocationContext, isTakeover: boolean): Loop {
  const { pluginManager } = context;
  const early = await pluginManager.runBeforeRunCallback({ invocationContext: context });
  if (early) {
    yield createEvent({ invocationId: context.invocationId, author: 'model', content: early });
    return;
  }
  for await (const event of isTakeover ? resume(root, context) : openLoop(root, context)) {
    const changed = await pluginManager.runOnEventCallback({ invocationContext: context, event });
    yield changed === undefined ? event : { ...changed, author: changed.author ?? event.author ?? root.name };
  }
  await pluginManager.runAfterRunCallback({ invocationContext: context });
}

function resume(root: Root, context: InvocationContext): Loop {
  if (!isBaseAgent(root)) throw new RunNotContinued(`"${root.name}" is a workflow`);
  return resumeLoop(root, context);
}

function openLoop(root: Root, context: InvocationContext): Loop {
  return isBaseAgent(root) ? (context.agent ?? root).runAsync(context) : runNodeAsInvocation(root, context);
}
