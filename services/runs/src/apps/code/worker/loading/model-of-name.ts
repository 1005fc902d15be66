import { ApigeeLlm, type BaseLlm, Gemini, LLMRegistry } from '@google/adk/core';
import { EchoLlm } from '../../../../models/echo/echo-llm.ts';
import { AnsweringLlm } from '../../../building/agents/answering-llm.ts';
import type { Channel } from '../channel.ts';
import { HostLlm } from '../host-llm.ts';

/** Makes the model of a name: a class that the app has registered with ADK, the built-in `echo/…`, or one that the host asks. */
export function modelOfName(channel: Channel): (name: string) => BaseLlm {
  return (name) => {
    const Registered = registered(name);
    if (Registered !== undefined) return new AnsweringLlm(new Registered({ model: name }));
    return new AnsweringLlm(name.startsWith('echo/') ? new EchoLlm({ model: name }) : new HostLlm(name, channel));
  };
}

/** ADK's own classes need keys, which are with the host. */
function registered(name: string): ReturnType<typeof LLMRegistry.resolve> | undefined {
  try {
    const found = LLMRegistry.resolve(name);
    return found === Gemini || found === ApigeeLlm ? undefined : found;
  } catch {
    return undefined;
  }
}
