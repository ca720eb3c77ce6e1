import './shelf.css';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';
import { allMail } from '../place-url.ts';

/** Saved searches of the team, below its mailboxes. Absent if there are none. */
export function Shelf() {
  const { linkTo, mail, mailPlace, searches } = usePage();
  const { account, q } = mailPlace.value;
  if (!searches.value || searches.value.length === 0) return null;
  return (
    <section class="shelf" aria-labelledby="searches-title">
      <h2 id="searches-title">Searches</h2>
      {searches.value.map((search) => (
        <a
          key={search.id}
          href={linkTo({ ...allMail, q: search.q })}
          title={search.q}
          aria-current={account === null && q === search.q ? 'page' : undefined}
          onClick={() => {
            mail.treeOut.value = false;
          }}
        >
          <Icon name="search" />
          <span>{search.name}</span>
        </a>
      ))}
    </section>
  );
}
