import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@agentmesh/lib/telemetry';
import { unlessAborted } from '@agentmesh/lib/wait';
import type { Config } from '../config.ts';
import { serviceTimeout } from '../errors.ts';
import type { TokenSource } from '../google/token-source.ts';
import type { Reply } from '../reply.ts';
import { ask } from './ask.ts';
import type { Connector } from './connector.ts';
import { progressOf } from './operation.ts';
import { type Refusal, refusalOf, unreadableAnswer } from './refusal.ts';

const timeoutMs = 20_000;

export interface Finalization {
  readonly connector: Connector;
  readonly userId: string;
  readonly validationState: Buffer;
  readonly consentNonce: string;
}

/** Google's service that keeps the tokens of end users. */
export interface CredentialService {
  /**
   * Completes a consent flow; undefined when the token is stored. Throws MeshError `agent_identity_not_configured`,
   * `agent_identity_refused` when our own credential is not accepted, `agent_identity_timeout` after 20 s, and the reason of
   * `signal`.
   */
  finalize(finalization: Finalization, signal: AbortSignal): Promise<Refusal | undefined>;
}

export interface CredentialServiceOptions {
  readonly config: Pick<Config, 'IAM_CONNECTOR_BASE_URL' | 'AGENT_IDENTITY_BASE_URL'>;
  readonly tokens: TokenSource;
  readonly log: Logger;
}

/** Asks the service over REST: `v1alpha` for connectors, `v1` of the successor for auth providers. */
export function createCredentialService({ config, tokens, log }: CredentialServiceOptions): CredentialService {
  const versions = {
    connectors: `${config.IAM_CONNECTOR_BASE_URL}/v1alpha`,
    authProviders: `${config.AGENT_IDENTITY_BASE_URL}/v1`,
  };
  return {
    async finalize({ connector, userId, validationState, consentNonce }, signal) {
      const late = AbortSignal.timeout(timeoutMs);
      const either = AbortSignal.any([signal, late]);
      const body = { userId, userIdValidationState: validationState.toString('base64'), consentNonce };
      try {
        // Google's library cannot be told to stop.
        const token = await unlessAborted(tokens.accessToken(), either);
        const version = versions[connector.kind];
        const reply = await ask({ url: `${version}/${connector.name}/credentials:finalize`, token, body }, either);
        const refusal = await outcomeOf(reply, { version, token }, either);
        if (refusal !== undefined) log.warn({ status: refusal.status }, 'the credential service refused to finalize');
        return refusal;
      } catch (error) {
        signal.throwIfAborted();
        throw late.aborted ? serviceTimeout() : error;
      }
    },
  };
}

const firstPauseMs = 200;
const longestPauseMs = 2_000;

/** The outcome of a call. When its reply is a long-running operation, that is followed to its end. */
async function outcomeOf(
  reply: Reply,
  { version, token }: { version: string; token: string },
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  let progress = progressOf(reply);
  for (let pauseMs = firstPauseMs; progress.state === 'running'; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const { name } = progress;
    await sleep(pauseMs, undefined, { signal });
    progress = progressOf(await ask({ url: `${version}/${name}`, token }, signal), name);
  }
  return progress.state === 'ended' ? refusalOf(progress.reply) : unreadableAnswer();
}
