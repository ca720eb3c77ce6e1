import type { Share } from '../client/shapes.ts';
import { Entry, Listing, Removal, useList } from '../manage/listing.tsx';
import { usePage } from '../page.ts';
import { Day, When } from '../parts/when.tsx';

/** Page of the team's share links, whose addresses were shown only once. */
export function Shares() {
  const { mayWrite } = usePage();
  const list = useList<Share>('/api/shares');
  return (
    <>
      <h1>Share links</h1>
      <p class="muted">Anyone with a link can read its message or account without signing in.</p>
      <Listing plural="share links" {...list} nameOf={({ name }) => name || 'No subject'}>
        {({ id, name, account_id, created_by, created_at, expires_at, opened_at }) => (
          <Entry
            key={id}
            name={name || 'No subject'}
            badges={[account_id !== null && 'account', opened_at !== null && 'opened']}
            facts={
              <p class="muted">
                created <When at={created_at} /> by {created_by ?? 'a Kubernetes resource'}, ends{' '}
                <Day at={expires_at} />
              </p>
            }
          >
            {mayWrite.value && (
              <Removal
                act="Revoke"
                name={name || 'No subject'}
                path={`/api/shares/${id}`}
                loss="The link stops working immediately."
                done={list.reload}
              />
            )}
          </Entry>
        )}
      </Listing>
    </>
  );
}
