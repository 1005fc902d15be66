import type {
  Attributes,
  AttributeValue,
  Exception,
  Link,
  Span,
  SpanContext,
  SpanStatus,
  TimeInput,
} from '@opentelemetry/api';
import { chatAttributes } from './gen-ai-span.ts';

/** ADK's own terms, some of which hold arguments and answers of tools. */
const ofAdk = /^gcp\.vertex\.agent\./;
const run = 'gcp.vertex.agent.invocation_id';

/** An exported span of ADK in the terms of OpenTelemetry's conventions for generative AI: it names the provider of the model, where ADK names itself, and drops what ADK adds for its own UI. */
export function exportedSpan(span: Span, name: string): Span {
  return new GenAiSpan(span, name);
}

class GenAiSpan implements Span {
  readonly #span: Span;
  readonly #isCall: boolean;

  constructor(span: Span, name: string) {
    this.#span = span;
    this.#isCall = name === 'call_llm';
  }

  spanContext(): SpanContext {
    return this.#span.spanContext();
  }

  setAttribute(key: string, value: AttributeValue): this {
    if (key === run) this.#span.setAttribute('agentmesh.run.id', value);
    else if (key !== 'gen_ai.system' && !ofAdk.test(key)) this.#span.setAttribute(key, value);
    if (this.#isCall && key === 'gen_ai.request.model' && typeof value === 'string') {
      this.#span.setAttributes(chatAttributes(value)).updateName(`chat ${value}`);
    }
    return this;
  }

  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.setAttribute(key, value);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    this.#span.addEvent(name, attributesOrTime, time);
    return this;
  }

  addLink(link: Link): this {
    this.#span.addLink(link);
    return this;
  }

  addLinks(links: Link[]): this {
    this.#span.addLinks(links);
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#span.setStatus(status);
    return this;
  }

  updateName(name: string): this {
    this.#span.updateName(name);
    return this;
  }

  end(time?: TimeInput): void {
    this.#span.end(time);
  }

  isRecording(): boolean {
    return this.#span.isRecording();
  }

  recordException(exception: Exception, time?: TimeInput): void {
    this.#span.recordException(exception, time);
  }
}
