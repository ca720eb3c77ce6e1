import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from '#adapters/mime/html-text.ts';
import { readLinks } from './links.ts';

/** Links by text and HTML. If the text contains only the start of a URL, the URL comes from the HTML. */
const joined: [text: string, html: string, urls: string[]][] = [
  ['https://a.test/verify?t=ab', 'https://a.test/verify?t=abcd', ['https://a.test/verify?t=abcd']],
  ['https://a.test/c/AbC1', 'https://a.test/c/AbC1dEf', ['https://a.test/c/AbC1dEf']],
  ['https://a.test/verify', 'https://a.test/verify?t=1', ['https://a.test/verify?t=1']],
  ['https://a.test/c/\nAbC1dEf', 'https://a.test/c/AbC1dEf', ['https://a.test/c/AbC1dEf']],
  ['> https://a.test/\n> c/AbC1', 'https://a.test/c/AbC1', ['https://a.test/c/AbC1']],
  ['https://a.test/', 'https://a.test/x', ['https://a.test/x', 'https://a.test/']],
  ['https://a.test', 'https://a.test/x', ['https://a.test/x', 'https://a.test']],
  ['https://a.test/orders', 'https://a.test/orders/7', ['https://a.test/orders/7', 'https://a.test/orders']],
  ['https://a.test/x?t=2', 'https://a.test/x?t=1', ['https://a.test/x?t=1', 'https://a.test/x?t=2']],
  ['https://A.test and https://a.test/', 'https://a.test', ['https://a.test']],
];
for (const [text, href, urls] of joined) {
  test(`the text ${JSON.stringify(text)} and a link to ${href} are ${urls.length} links`, () => {
    const { links: found } = readLinks(
      { text, html: readHtml(`<a href="${href}">x</a>`), listUnsubscribe: '' },
      '',
    );
    assert.deepEqual(
      found.map(({ url }) => url),
      urls,
    );
  });
}

const mains: [what: string, subject: string, html: string, main: string | null][] = [
  [
    'a label names a change that the sentence before it confirms',
    'Acme',
    '<p>Confirm the update of your email:</p><p><a href="https://a.test/c/1">Change Email</a></p>',
    'https://a.test/c/1',
  ],
  [
    'the label tells more than the path',
    '',
    '<a href="https://a.test/verify-help">Acme</a><a href="https://a.test/c/1">Verify email</a>',
    'https://a.test/c/1',
  ],
  [
    'the subject tells what the only link with a token does, if no link says it',
    'Bo invited you to Acme',
    '<a href="https://t.test/c/aB3dE5fG7hI9jK"><img src="x"></a><a href="https://a.test/go/aB3dE5fG7hI9">Set up account</a><a href="https://a.test/help">Help</a>',
    'https://a.test/go/aB3dE5fG7hI9',
  ],
  [
    'two links with a token leave it open',
    'Bo invited you to Acme',
    '<a href="https://a.test/go/aB3dE5fG7hI9">Set up account</a><a href="https://a.test/go/zY8xW6vU4tS2">Our blog</a>',
    null,
  ],
  [
    'a link that refuses is not the one that the subject tells of',
    'Bo invited you to Acme',
    '<a href="https://a.test/go/aB3dE5fG7hI9">OK</a><a href="https://a.test/no/zY8xW6vU4tS2">Decline</a>',
    'https://a.test/go/aB3dE5fG7hI9',
  ],
  [
    'a subject that tells nothing leaves a link with a token as it is',
    'News of the week',
    '<a href="https://a.test/go/aB3dE5fG7hI9">Read on</a>',
    null,
  ],
  [
    'of links that all have a token, the one that shows its URL',
    'Reset password instructions',
    '<a href="https://t.test/zY8xW6vU4tS1"><img alt="Acme"></a><a href="https://t.test/aB3dE5fG7hI9">https://a.test/x?key=zY8xW6vU</a><a href="https://t.test/zY8xW6vU4tS2">https://a.test/help</a>',
    'https://t.test/aB3dE5fG7hI9',
  ],
  [
    'of links that all have a token, the one to click',
    'Invitation from Acme',
    '<a href="https://t.test/aB3dE5fG7hI9">Click here to create your account</a><a href="https://t.test/zY8xW6vU4tS2">LinkedIn</a><a href="https://t.test/zY8xW6vU4tS3">If images are missing, click here</a>',
    'https://t.test/aB3dE5fG7hI9',
  ],
  [
    'a URL in HTML that is no link',
    '',
    '<p>https://a.test</p><p>To confirm your account, open https://a.test/x?key=aB3dE5fG</p>',
    'https://a.test/x?key=aB3dE5fG',
  ],
  [
    'a URL that is the text of another link',
    '',
    '<p>Confirm: <a href="https://t.test/aB3dE5fG7hI9">https://a.test/x?key=aB3dE5fG</a></p>',
    'https://t.test/aB3dE5fG7hI9',
  ],
  [
    'the calendar that sent an invitation is no invitation',
    'Invitation: Review @ Mon 3pm',
    '<a href="https://a.test/event?id=1">View event</a><a href="https://a.test/calendar/">Invitation from Google Calendar</a>',
    null,
  ],
  [
    'a campaign tells nothing',
    'Sign in',
    '<a href="https://a.test/?utm_campaign=verify_email"><img alt="Acme"></a><a href="https://a.test/c/1">Verify</a>',
    'https://a.test/c/1',
  ],
  [
    'a page to sign in is less than a link with a token',
    '',
    '<a href="https://a.test/login">Log in</a><a href="https://a.test/r?token=x7Kp2Q">Reset password</a>',
    'https://a.test/r?token=x7Kp2Q',
  ],
  [
    'the subject tells which',
    'Your invitation to Acme',
    '<a href="https://a.test/1">Reset password</a><a href="https://a.test/2">Accept invitation</a>',
    'https://a.test/2',
  ],
  [
    'an article is none',
    'Verify your email',
    '<a href="https://a.test/verifying">How to verify your email</a><a href="https://a.test/v/1">Verify email</a>',
    'https://a.test/v/1',
  ],
  ['an article alone is none', '', '<a href="https://a.test/verify">How to verify your account</a>', null],
  ['the mail in a browser is none', '', '<a href="https://a.test/verify/1">View in browser</a>', null],
  [
    'a link that says only where to click',
    '',
    '<p>To verify your email, <a href="https://a.test/c/1">click here</a>.</p>',
    'https://a.test/c/1',
  ],
  [
    'a URL below its sentence',
    '',
    '<p>Confirm your account:</p><p><a href="https://a.test/c/1">https://a.test/c/1</a></p>',
    'https://a.test/c/1',
  ],
  ['a link without a purpose', 'Hello', '<a href="https://a.test/orders/7">View order</a>', null],
  [
    'a page of an order may sign in and is not for that',
    'Order 1042 confirmed',
    '<a href="https://a.test/orders/2f1c8e7b6a5d/authenticate?key=9a8b7c6d&login=1">View your order</a>',
    null,
  ],
  ['signing is no sign-in', '', '<a href="https://a.test/Signing/Start?a=9f86d081">REVIEW</a>', null],
  [
    'a subject tells what was done',
    'Your booking is confirmed',
    '<a href="https://a.test/b?auth_key=9f86d081884c">Manage</a>',
    null,
  ],
  [
    'a label says that it is a link to something',
    'Update Your Account',
    '<p>Update your account by the following action(s): Update Password. Click on the link below to start.</p><p><a href="https://a.test/login-actions/action-token?key=eyJh.8">Link to account update</a></p>',
    'https://a.test/login-actions/action-token?key=eyJh.8',
  ],
  [
    'one for those who did not sign in is none, whatever the subject says',
    'New sign-in to your account',
    '<p>If this was not you, please <a href="https://a.test/c/9f86d081884c7d65">secure your account</a>.</p>',
    null,
  ],
  ['no page', '', '<a href="https:///x">Verify</a>', null],
  [
    'a subject may ask for what was not done yet',
    'You have been invited to Acme',
    '<a href="https://a.test/start?token=9f86d081884c7d65">Get started</a>',
    'https://a.test/start?token=9f86d081884c7d65',
  ],
  [
    'an address is confirmed before an order is tracked',
    'Welcome',
    '<p>Confirm your email to track your order.</p><a href="https://a.test/c/9f86d081">Click here</a>',
    'https://a.test/c/9f86d081',
  ],
];
for (const [what, subject, html, main] of mains) {
  test(`main link: ${what}`, () => {
    const { mainLink } = readLinks({ text: null, html: readHtml(html), listUnsubscribe: '' }, subject);
    assert.equal(mainLink, main);
  });
}

test('a subject tells what the only link with a token is for, where nothing else does', () => {
  const html =
    '<a href="https://a.test/">Acme</a><a href="https://a.test/start?token=9f86d081884c7d65">Set up account</a>';
  const { links } = readLinks(
    { text: null, html: readHtml(html), listUnsubscribe: '' },
    'Ann invited you to Acme',
  );
  const kinds = links.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['other', 'invite']);
});

const texts: [what: string, text: string, main: string | null][] = [
  [
    'a footnote stands for its place',
    'Reset your password [1] within a day.\n\nUnsubscribe [2]\n\n[1] https://a.test/r/9f86\n[2] https://a.test/u/9f86',
    'https://a.test/r/9f86',
  ],
  [
    'Lynx numbers a link before its text',
    'Please [1]reset your password. Or [2]contact us.\n\nReferences\n\n   1. https://a.test/r/9f86\n   2. https://a.test/contact\n',
    'https://a.test/r/9f86',
  ],
  [
    'a footnote stands in a text without blanks',
    'パスワードを再設定[1]してください。\n\n[1] https://a.test/r/9f86',
    'https://a.test/r/9f86',
  ],
  [
    'a sentence goes on behind a bracket',
    'hier klicken<https://a.test/i/9f86>, um der Einladung zu folgen',
    'https://a.test/i/9f86',
  ],
  ['a host ends no sentence', 'Sign in to acme.example\nhttps://a.test/cb/9f86', 'https://a.test/cb/9f86'],
];
const token = 'https://a.test/c/aB3dE5fG7hI9';
const withSubjects: [what: string, text: string, main: string | null, subject: string][] = [
  ['the subject tells of a bare URL', `Hello,\n\n${token}\n`, token, 'Ann invited you to Acme'],
  [
    'a page without a token is not what the subject tells',
    `Hello,\n\n${token}\n\nhttps://a.test/about\n`,
    token,
    'You are invited to Acme',
  ],
  [
    'two tokens leave it open',
    `${token}\n\nOut: https://a.test/o/zY8xW6vU4tS2`,
    null,
    'Ann invited you to Acme',
  ],
  ['a subject tells what was done', `Hello,\n\n${token}`, null, 'Password changed'],
  ['a subject tells of success', `Hello,\n\n${token}`, null, 'Password reset successful'],
  ['a label names another thing', `View this email in your browser: ${token}`, null, 'Verify your email'],
  ['a line above names another thing', `Your order:\n${token}`, null, 'Verify your email'],
  ['a line above points', `Click here:\n${token}`, token, 'Verify your email'],
  [
    'a line that only points leaves it to the one before',
    `Ann invited you to Acme.\n\nClick the link below to continue:\n\n${token}`,
    token,
    'Welcome',
  ],
  [
    'a line that points does not speak of the URL before',
    `Confirm your address:\n${token}\n\nClick the link below to continue:\n\nhttps://a.test/p/aB3dE5`,
    token,
    'Welcome',
  ],
  [
    'a long line goes on in the next one',
    `To confirm the address that you have given to us at Acme, please open\nPage and account settings within a day:\n\n${token}`,
    token,
    'Welcome',
  ],
  [
    'a line that ends no sentence goes on in a line that begins with a small letter',
    `Please visit this address to reset your\npassword:\n${token}`,
    token,
    'Welcome',
  ],
  ['a blank line ends the sentence', `Reset your\n\npassword in this app:\n${token}`, null, 'Welcome'],
  ['a subject tells of a sign-in that happened', `Hello,\n\n${token}`, null, 'New sign-in to your account'],
  [
    'a sign-in page without a token is not what the subject tells',
    `To set your password, open:\n\n${token}\n\nhttps://a.test/login\n`,
    token,
    'Your login details',
  ],
  ['a sentence is about a password', `Pasahitza aldatzeko klikatu:\n${token}`, token, 'Kaixo'],
  [
    'a sentence is about a password, and the link has no token',
    'Pasahitza hemen klikatu: https://a.test/x',
    null,
    'Kaixo',
  ],
  ['a label of a few words is about a password', `Endre passord: ${token}`, token, 'Hei'],
  ['words before a URL send the reader there', `Next, visit ${token}`, token, 'Verify your email'],
  [
    'words behind a URL send the reader there',
    `Devam için ${token} adresini ziyaret edin.`,
    token,
    'E-postayı doğrula',
  ],
  ['access is recovered', `Recover access to your account here: ${token}`, token, 'Welcome'],
  [
    'a line that says something else does not leave it to the one before',
    `You may reset your password.\nOur newest offers:\n${token}`,
    null,
    'Welcome',
  ],
];
for (const [what, text, main, subject = ''] of [...texts, ...withSubjects]) {
  test(`main link of a text: ${what}`, () =>
    assert.equal(readLinks({ text, html: null, listUnsubscribe: '' }, subject).mainLink, main));
}
