import type { BaseTool, RunAsyncToolRequest } from '@google/adk/core';

/** Makes a tool ask for approval before each call, as ADK's `requireConfirmation` does. Changes the tool itself and returns it. */
export function confirmTool(tool: BaseTool): BaseTool {
  const run = tool.runAsync.bind(tool);
  tool.checkRequireConfirmation = () => Promise.resolve(true);
  tool.runAsync = async (request) => answerWithoutCall(tool.name, request) ?? run(request);
  return tool;
}

/** The answer of a call that is not approved; undefined for one that is. */
function answerWithoutCall(name: string, { toolContext }: RunAsyncToolRequest): object | undefined {
  const { toolConfirmation } = toolContext;
  if (toolConfirmation?.confirmed === true) return undefined;
  if (toolConfirmation !== undefined) return { error: 'This tool call is rejected.' };
  toolContext.requestConfirmation({
    hint: `Please approve or reject the tool call ${name}() by responding with a FunctionResponse with an expected ToolConfirmation payload.`,
  });
  toolContext.actions.skipSummarization = true;
  return { error: 'This tool call requires confirmation, please approve or reject.' };
}
