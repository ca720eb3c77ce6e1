import { useEffect, useState } from 'preact/hooks';
import type { Storage } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { repeat } from './repeat.ts';
import { count } from './size.ts';

/** Interval in ms between two checks, because refused mail has no event. */
const pauseMs = 10_000;

/** Bar across the page while mail is refused because an account or the disk is full. */
export function FullBar() {
  const { directory, linkToPage, request } = usePage();
  const [storage, setStorage] = useState<Partial<Storage>>({});
  useEffect(() => {
    // The next check makes up for a failed one.
    const look = () => request<Storage>('GET', '/api/storage').then(setStorage, () => {});
    const stop = repeat(look, () => pauseMs);
    // Reads the storage again when the directory has been read, since a deletion or a new limit may have freed space.
    const end = directory.subscribe((read) => {
      if (read !== null) void look();
    });
    return () => {
      stop();
      end();
    };
  }, []);

  const { is_disk_full: isDiskFull = false, full_accounts: [first, ...others] = [] } = storage;
  return (
    <div role="status">
      {isDiskFull && (
        <p class="across tone danger">
          The server's disk is full, so it refuses mail. Delete mail to free up space.
        </p>
      )}
      {first !== undefined && (
        <p class="across tone danger breaks">
          {others.length === 0
            ? `${first.address} is full: mail to it is refused.`
            : `${first.address} and ${count(others.length, 'other account')} are full: mail to them is refused.`}{' '}
          <a href={linkToPage('accounts')}>Free up space or raise the limit</a>
        </p>
      )}
    </div>
  );
}
