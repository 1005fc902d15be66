import { loadApps } from '../data/apps.ts';
import { useQuery } from '../data/query.ts';

/** Name of an app for people. Made agents have names such as agent7. */
export function AppName({ name }: { readonly name: string }) {
  const { data } = useQuery('apps', loadApps);
  return <>{data?.find((app) => app.name === name)?.title ?? name}</>;
}
