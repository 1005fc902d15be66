import type { DescService } from '@bufbuild/protobuf';
import { madeOnce } from './made-once.ts';

/** The service's word: `agentmesh.sessions.v1.SessionsService` is `sessions`. Made once: each call asks for it at both ends. */
export const meshWord = madeOnce(({ typeName }: DescService): string => typeName.split('.')[1] ?? typeName);
