import { positiveInteger } from '@agentmesh/lib/service';
import { type CleanedEnv, EnvError, makeValidator } from 'envalid';

const storeUrl = makeValidator<URL>((input) => {
  const url = URL.parse(input.trim());
  if (url?.protocol === 'file:' && url.host === '') return url;
  throw new EnvError('must be file:///a/folder');
});

export const settings = {
  ARTIFACT_STORE_URL: storeUrl({ default: undefined }),
  ARTIFACT_MAX_BYTES: positiveInteger({ default: 256 * 1024 * 1024 }),
  ARTIFACT_INLINE_MAX_BYTES: positiveInteger({ default: 128 * 1024 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;
