import { BaseLlmRequestProcessor, type Event, type InvocationContext } from '@google/adk/core';
import { templateVariableMissing } from '../../../errors.ts';
import { requiredVariables } from './template-variables.ts';

/** Place of an instruction in the app's files. */
export interface InstructionPlace {
  readonly appName: string;
  readonly agentName: string;
  /** Path inside the app's folder. */
  readonly file: string;
  readonly instruction: string;
}

/**
 * Processors that end the run when the state lacks a variable of the instruction, with an error that says where it is missing:
 * ADK's own names only the variable. None for an instruction without variables.
 */
export function requireState(place: InstructionPlace): BaseLlmRequestProcessor[] {
  const variables = requiredVariables(place.instruction);
  return variables.length === 0 ? [] : [new StateCheck(place, variables)];
}

class StateCheck extends BaseLlmRequestProcessor {
  readonly #place: InstructionPlace;
  readonly #variables: readonly string[];

  constructor(place: InstructionPlace, variables: readonly string[]) {
    super();
    this.#place = place;
    this.#variables = variables;
  }

  override async *runAsync({ session }: InvocationContext): AsyncGenerator<Event, void, void> {
    const missing = this.#variables.filter((name) => !(name in session.state));
    if (missing.length > 0) throw templateVariableMissing(this.#place, missing);
    yield* [];
  }
}
