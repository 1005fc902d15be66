import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { count } from '../../kit/numbers.ts';
import { Facts, useTitle } from '../../kit/page.tsx';
import { When } from '../../kit/states.tsx';
import { Time } from '../../kit/time.tsx';
import { query } from '../../shell/router.ts';
import { t } from '../../texts.ts';
import { SignFrame } from './sign-frame.tsx';

/** The receipt of an account that was deleted. Its address is all that its former owner has. */
export function Erased() {
  const receipt = query.value.get('receipt') ?? '';
  const known = useQuery(`erasure:${receipt}`, () => mesh.account.erasure(receipt), { everyMs: 2_000 });
  useTitle(t.erased.title);
  return (
    <SignFrame title={t.erased.title} lead={t.erased.lead} links={[['/', t.sign.in]]}>
      <When known={known} retry={() => invalidate(`erasure:${receipt}`)}>
        {({ status, completed_at: at, services }) => (
          <>
            <p role="status">{status === 'complete' ? t.erased.complete : t.erased.pending}</p>
            {at !== null && <Time at={at} />}
            <Facts facts={services.map(({ service, counts }) => [service, count(sumOf(counts))])} />
          </>
        )}
      </When>
    </SignFrame>
  );
}

function sumOf(counts: Readonly<Record<string, unknown>>): number {
  return Object.values(counts).reduce<number>((sum, number) => sum + Number(number), 0);
}
