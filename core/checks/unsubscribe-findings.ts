import { type Finding, finding } from '#core/audit/finding.ts';
import type { CheckedMail } from './facts.ts';

const id = 'one-click-unsubscribe';
const signatureId = 'one-click-signature';

/** Checks one-click unsubscribe (RFC 8058), and that a valid DKIM signature covers its fields (section 4). */
export function unsubscribeFindings({ headers, dkim }: Pick<CheckedMail, 'headers' | 'dkim'>): Finding[] {
  const valuesOf = (name: string) =>
    headers.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
  const [uris] = valuesOf('list-unsubscribe');
  const posts = valuesOf('list-unsubscribe-post');
  if (uris === undefined) {
    const advice = 'Mail that goes to many needs List-Unsubscribe and List-Unsubscribe-Post (RFC 8058).';
    return [finding('info', id, 'No one-click unsubscribe', advice)];
  }
  const isOneClick = posts.length === 1 && posts[0]?.trim().toLowerCase() === 'list-unsubscribe=one-click';
  if (!isOneClick || !/<\s*https:[^<>]+>/i.test(uris.slice(0, 10_000))) {
    const advice =
      'Give List-Unsubscribe an https address, and add List-Unsubscribe-Post: List-Unsubscribe=One-Click.';
    return [finding('warning', id, 'No one-click unsubscribe', advice)];
  }
  const found = finding('passed', id, 'One-click unsubscribe', 'Its fields follow RFC 8058.');
  const valid = dkim.filter(({ result }) => result === 'pass');
  const covers = valuesOf('dkim-signature')
    .map(signedFields)
    .some(
      ({ domain, selector, fields }) =>
        valid.some(
          (one) => one.domain?.toLowerCase() === domain && one.selector?.toLowerCase() === selector,
        ) && ['list-unsubscribe', 'list-unsubscribe-post'].every((name) => fields.includes(name)),
    );
  return [
    found,
    covers
      ? finding('passed', signatureId, 'Signed unsubscribe', 'A valid DKIM signature covers both fields.')
      : finding(
          'warning',
          signatureId,
          'Unsubscribe not signed',
          valid.length === 0
            ? 'Sign the mail with DKIM: receivers use one-click only if a valid signature covers its fields.'
            : 'Add List-Unsubscribe and List-Unsubscribe-Post to h= of the DKIM signature.',
        ),
  ];
}

/** Reads the tags d=, s= and h= of a DKIM-Signature (RFC 6376 section 3.5). */
function signedFields(value: string): { domain: string; selector: string; fields: string[] } {
  const tags = new Map(
    value.split(';').map((tag) => {
      const [name = '', ...rest] = tag.split('=');
      return [name.trim(), rest.join('=').replace(/\s+/g, '').toLowerCase()];
    }),
  );
  const [domain = '', selector = '', fields = ''] = [tags.get('d'), tags.get('s'), tags.get('h')];
  return { domain, selector, fields: fields.split(':') };
}
