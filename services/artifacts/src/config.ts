import { httpUrl, positiveInteger, text, wholeNumberFrom } from '@agentmesh/lib/service';
import { type CleanedEnv, EnvError, makeValidator } from 'envalid';

const storeUrl = makeValidator<URL>((input) => {
  const url = URL.parse(input.trim());
  if (url?.protocol === 'file:' && url.host === '') return url;
  if (url?.protocol === 's3:' && url.host !== '') return url;
  throw new EnvError('must be file:///a/folder or s3://bucket/prefix');
});

/** Environment variables of this service; docs/settings.md explains each. */
export const settings = {
  ARTIFACT_STORE_URL: storeUrl({ default: undefined }),
  ARTIFACT_S3_ENDPOINT: httpUrl({ default: undefined }),
  ARTIFACT_S3_REGION: text({ default: 'us-east-1' }),
  ARTIFACT_S3_ACCESS_KEY_ID: text({ default: undefined }),
  ARTIFACT_S3_SECRET_ACCESS_KEY: text({ default: undefined }),
  ARTIFACT_MAX_BYTES: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER)({ default: 256 * 1024 * 1024 }),
  ARTIFACT_ACCOUNT_MAX_ARTIFACTS: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER)({ default: 10_000_000 }),
  ARTIFACT_ACCOUNT_MAX_BYTES: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER)({ default: 1024 ** 4 }),
  ARTIFACT_INLINE_MAX_BYTES: positiveInteger({ default: 128 * 1024 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;
