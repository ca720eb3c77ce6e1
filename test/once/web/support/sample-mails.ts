/**
 * Mail as a team's staging applications send it. `minutesAgo` is the age to display. `forged` mail comes from another host and is
 * signed with someone else's key.
 */
export type SampleMail = {
  from: string;
  to: string;
  subject: string;
  text: string;
  html?: string;
  minutesAgo: number;
  read?: true;
  flagged?: true;
  forged?: true;
  attachments?: { filename: string; content: string; contentType: string }[];
};

const accent = '#0b6e66';

/** Composes an email as shops send it: a band, a card, a button. */
function styled(title: string, body: string, button?: [string, string]): string {
  const action = button
    ? `<p style="margin:28px 0"><a href="${button[1]}" style="background:${accent};color:#fff;padding:12px 22px;border-radius:6px;text-decoration:none;font-weight:600">${button[0]}</a></p>`
    : '';
  return `<!doctype html><html><body style="margin:0;background:#eef2f1;font:16px/1.55 Helvetica,Arial,sans-serif;color:#20302e">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:28px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#fff;border-radius:10px">
<tr><td style="background:${accent};border-radius:10px 10px 0 0;padding:18px 32px;color:#fff;font-size:18px;font-weight:700">Northwind</td></tr>
<tr><td style="padding:30px 32px"><h1 style="margin:0 0 14px;font-size:24px">${title}</h1>${body}${action}
<p style="color:#6a7a77;font-size:13px;margin:24px 0 0">Northwind Outdoor, 12 Harbour Street, Bergen</p></td></tr>
</table></td></tr></table></body></html>`;
}

const shop = 'Northwind <hello@northwind.example>';
const billing = 'Northwind Billing <billing@northwind.example>';
const forge = 'Forge CI <ci@forge.example>';

export const sampleMails: SampleMail[] = [
  {
    from: shop,
    to: 'qa+signup@app.test',
    subject: 'Confirm your email address',
    text: 'Hello Ada,\n\nYour code is 493817. It is valid for ten minutes.\n\nOr confirm here: https://northwind.example/verify?token=9f2c71\n',
    html: styled(
      'Welcome, Ada',
      '<p>Enter this code to confirm your email address. It is valid for ten minutes.</p><p style="background:#eef2f1;border-radius:8px;padding:18px;text-align:center">Your code<br><b style="font:700 32px/1.4 ui-monospace,monospace;letter-spacing:8px">493817</b></p>',
      ['Confirm address', 'https://northwind.example/verify?token=9f2c71'],
    ),
    minutesAgo: 0,
  },
  {
    from: billing,
    to: 'billing@app.test',
    subject: 'Invoice 2026-1107 for your order',
    text: 'Your invoice for 128.40 EUR is attached.',
    html: styled('Your invoice', '<p>Your invoice for <b>128.40 EUR</b> is attached.</p>'),
    attachments: [
      { filename: 'invoice-2026-1107.pdf', content: '%PDF-1.4\n%%EOF\n', contentType: 'application/pdf' },
      { filename: 'items.csv', content: 'item,price\nTent,128.40\n', contentType: 'text/csv' },
    ],
    minutesAgo: 4,
  },
  {
    from: forge,
    to: 'dev@staging.app.test',
    subject: 'Build #4821 failed on main',
    text: 'Step "test" failed after 3 min 12 s: 2 of 1,904 tests failed.\n\nhttps://forge.example/builds/4821\n',
    minutesAgo: 11,
    flagged: true,
  },
  {
    from: 'Security <security@northwind.example>',
    to: 'qa@app.test',
    subject: 'Reset your password',
    text: 'Someone asked to reset your password: https://northwind.example/reset?token=77ab1c\n\nIf it was not you, ignore this email.',
    html: styled(
      'Reset your password',
      '<p>Someone asked to reset your password. If it was not you, ignore this email.</p>',
      ['Choose a new password', 'https://northwind.example/reset?token=77ab1c'],
    ),
    minutesAgo: 26,
    forged: true,
  },
  {
    from: 'Mia Berg <mia@northwind.example>',
    to: 'qa@app.test',
    subject: 'Re: Copy for the onboarding emails',
    text: 'Looks good to me. One thing: the second email says "your acount".\n\nMia\n',
    minutesAgo: 48,
    read: true,
  },
  {
    from: shop,
    to: 'qa@app.test',
    subject: 'Your order 81-2207 is on its way',
    text: 'Your parcel has left our warehouse. Track it: https://northwind.example/track/81-2207\n',
    html: styled('On its way', '<p>Your parcel left our warehouse this morning.</p>', [
      'Track parcel',
      'https://northwind.example/track/81-2207',
    ]),
    minutesAgo: 95,
    read: true,
  },
  {
    from: 'Northwind Team <team@northwind.example>',
    to: 'qa@app.test',
    subject: 'Ada invited you to the workspace “Harbour”',
    text: 'Join here: https://northwind.example/invite/harbour-51\n',
    minutesAgo: 170,
    read: true,
  },
  {
    from: 'Northwind Weekly <news@northwind.example>',
    to: 'qa@app.test',
    subject: 'Five huts worth the climb',
    text: 'This week: five huts worth the climb.\n\nUnsubscribe: https://northwind.example/unsubscribe?u=1\n',
    minutesAgo: 60 * 22,
    read: true,
  },
  {
    from: 'Calendar <calendar@northwind.example>',
    to: 'dev@staging.app.test',
    subject: 'Invitation: Release review, Thu 10:00',
    text: 'Release review, Thursday 10:00 to 10:30, Room Fjord',
    minutesAgo: 60 * 30,
    read: true,
  },
];

const routine: [from: string, subject: string, text: string][] = [
  [shop, 'Your sign-in code', 'Your code is 702914. It is valid for ten minutes.'],
  [forge, 'New comment on “Checkout: keep the cart”', 'Mia: The cart is empty again after sign-in.'],
  [billing, 'Payment received', 'We received 49.00 EUR. Thank you.'],
  [forge, 'Nightly report: 214 jobs, 0 failed', 'All nightly jobs passed.'],
  [shop, 'Your trial ends in three days', 'Choose a plan to continue: https://northwind.example/plans'],
  [shop, 'Your export is ready', 'Download it within seven days: https://northwind.example/exports/51'],
];

/** Older emails that fill a list. */
export const olderMails: SampleMail[] = Array.from({ length: 42 }, (_, index) => {
  const [from, subject, text] = routine[index % routine.length] ?? [shop, 'Hello', 'Hello'];
  const read = index % 4 === 0 ? {} : { read: true as const };
  return { from, to: 'qa@app.test', subject, text, minutesAgo: 60 * 48 + index * 190, ...read };
});
