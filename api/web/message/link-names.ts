/** Link names by purpose. */
export const linkNames: Record<string, string> = {
  verify: 'Verify link',
  reset: 'Reset link',
  login: 'Sign-in link',
  invite: 'Invitation link',
  unsubscribe: 'Unsubscribe link',
};

const signs: [purpose: string, words: RegExp][] = [
  ['reset', /reset|passw|recover/i],
  ['verify', /verif|confirm|activat/i],
  ['invite', /invit|join/i],
  ['login', /log-?in|sign-?in|magic/i],
];

/** Names a main link. If its purpose has no name in the list, the name comes from the URL, or otherwise from the subject. */
export function nameOfLink(url: string, subject: string): string {
  const path = url.replace(/^https?:\/\/[^/]*/i, '');
  const [purpose = ''] = [path, subject].flatMap(
    (text) => signs.find(([, words]) => words.test(text))?.[0] ?? [],
  );
  return linkNames[purpose] ?? 'Link';
}
