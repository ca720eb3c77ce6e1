import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodes } from '#core/extraction/codes.ts';
import { readHtml } from './html-text.ts';

/** HTML bodies, some beside a text, and the code that a person would type. */
const mails: [subject: string, text: string | null, html: string, values: string[]][] = [
  [
    'Verify your Apple ID email address.',
    null,
    '<html><body><table><tr><td><p>Dear Alice,</p><p>You have selected alice@icloud.com as your Apple ID. To verify this email address belongs to you, enter the code below on the email verification page:</p><p><b>482913</b></p><p>This code will expire three hours after this email was sent.</p><p><b>Why you received this email.</b><br>Apple requires verification whenever an email address is selected as an Apple ID.</p><p>Apple Support</p><p>Copyright © 2026 Apple Inc. One Apple Park Way, Cupertino, CA 95014, United States</p></td></tr></table></body></html>',
    ['482913'],
  ],
  [
    'Your PayPal security code',
    null,
    '<table><tr><td>Hello, Alice Example</td></tr><tr><td><p>Your PayPal security code is:</p><p style="font-size:32px">482913</p><p>This code expires in 10 minutes.</p></td></tr><tr><td>Help &amp; Contact | Security | Apps</td></tr><tr><td>PayPal RT000238:en_US(en-US):1.3.0:5a3f1c2b9d</td></tr></table>',
    ['482913'],
  ],
  [
    'Your Stripe verification code',
    null,
    '<div><span>Your verification code is</span><div>482 913</div><div>Don’t share this code with anyone.</div><div>Stripe, 354 Oyster Point Blvd, South San Francisco, CA 94080</div></div>',
    ['482913'],
  ],
  ['Confirm Your Signup', null, '<h2>Confirm your signup</h2><p>Enter the code: 482913</p>', ['482913']],
  ['Your Magic Link', null, '<h2>One time login code</h2><p>Please enter this code: 482913</p>', ['482913']],
  [
    'Verify Discord Login from New Location',
    null,
    '<p>Hey alice,</p><p>It looks like someone tried to log into your Discord account from a new location.</p><p>IP Address: 203.0.113.7<br>Location: Berlin, Germany</p><p>Here is your code:</p><h2>48291340</h2>',
    ['48291340'],
  ],
  [
    'Netflix: Your sign-in code',
    null,
    '<table><tr><td>Enter this code to sign in</td></tr><tr><td>Hi Alice,</td></tr><tr><td>Enter the code below on your device to sign in to Netflix.</td></tr><tr><td>4829</td></tr><tr><td>This code will expire in 15 minutes.</td></tr></table>',
    ['4829'],
  ],
  [
    'One-time verification code',
    null,
    '<p>Hi Alice,</p><p>You have requested a one-time passcode to sign in to <b>Acme</b>.</p><table><tr><td>Code:</td><td><strong>482913</strong></td></tr></table><p>If you did not request this, call 1-800-555-1234.</p>',
    ['482913'],
  ],
  ['Your code', null, '<h1>Your code</h1><pre>482913</pre>', ['482913']],
  [
    'Verify',
    null,
    '<p>Your verification code</p><div><div style="display:inline-block">4</div><div>8</div><div>2</div><div>9</div><div>1</div><div>3</div></div>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Enter this code</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Enter this code</p><div><span>4</span> <span>8</span> <span>2</span> <span>9</span> <span>1</span> <span>3</span></div>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Enter this code: <span>4</span><span>8</span><span>2</span><span>9</span><span>1</span><span>3</span></p>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Enter this code</p><table><tr><td><table><tr><td>&nbsp;4&nbsp;</td></tr></table></td>\n<td><table><tr><td>&nbsp;8&nbsp;</td></tr></table></td>\n<td><table><tr><td>&nbsp;2&nbsp;</td></tr></table></td>\n<td><table><tr><td>&nbsp;9&nbsp;</td></tr></table></td>\n<td><table><tr><td>&nbsp;1&nbsp;</td></tr></table></td>\n<td><table><tr><td>&nbsp;3&nbsp;</td></tr></table></td></tr></table>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Your code</p><input type="text" value="4" readonly><input type="text" value="8" readonly><input type="text" value="2" readonly><input type="text" value="9" readonly><input type="text" value="1" readonly><input type="text" value="3" readonly>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Your code</p><input type="text" value="482913" readonly><input type=hidden value="99887766"><input type=submit value="Copy">',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Enter this code</p><table><tr><td>4</td><td>8</td><td>2</td><td>-</td><td>9</td><td>1</td><td>3</td></tr></table>',
    ['482913'],
  ],
  [
    'Verify',
    null,
    '<p>Your code</p><div><div>X</div><div>7</div><div>K</div><div>2</div><div>P</div><div>Q</div></div>',
    ['X7K2PQ'],
  ],
  [
    'Code',
    null,
    '<h2>Your verification code is</h2><ul><li>4</li><li>8</li><li>2</li><li>9</li></ul>',
    ['4829'],
  ],
  ['Code', null, '<p>Verification code</p><div>482</div><div>913</div>', ['482913']],
  ['Sign in', null, '<p>Your code is 4&#8203;8&#8203;2&#8203;9&#8203;1&#8203;3.</p>', ['482913']],
  ['Acme', null, '<p>Enter <b>482913</b> in the app to confirm your email.</p>', ['482913']],
  [
    'Sign in',
    null,
    '<div>ACME</div><div>Your verification code</div><div>482913</div><div>ACME</div>',
    ['482913'],
  ],
  [
    'Sign in',
    'To view the message, please use an HTML compatible email viewer!',
    '<p>Your code is <b>482913</b></p>',
    ['482913'],
  ],
  [
    'Sign in',
    'This mail was sent to you with code in HTML. Ref 77889900',
    '<p>Your code is <b>482913</b></p>',
    ['482913'],
  ],
  ['Welcome', '_____\nSent by the staff list of ACME', '<p>Your code is 482913.</p>', ['482913']],
  ['Sign in', 'Your code is 482913', '<p>Your code is 482 913</p>', ['482913']],
  ['Sign in', null, '<table><tr><td>Code</td><td>482913</td><td>10 minutes</td></tr></table>', ['482913']],
  ['Sign in', null, '<span>Your code</span><span>482913</span>', ['482913']],
  ['Sign in', null, '<h1>482913</h1><p>is your verification code</p>', ['482913']],
  ['Sign in', null, '<h1>482913</h1><p>Your verification code</p>', ['482913']],
  [
    'Sign in',
    null,
    '<p>Your verification code</p><p>for alice@app.test</p><p>requested from Berlin</p><h1>482913</h1>',
    ['482913'],
  ],
  [
    'Sign in',
    null,
    '<div>ACME</div><div>Enter the code from your app</div><div>ACME</div><div>© 2026 ACME Inc.</div>',
    [],
  ],
  [
    'x',
    null,
    '<table><tr><td style="padding:20px"><h1>Verify your email</h1></td></tr><tr><td>Hi Alice,<br>use the code below.</td></tr><tr><td align="center" style="font-size:30px;letter-spacing:8px">482913</td></tr><tr><td>Need help? <a href="#">Contact us</a></td></tr><tr><td>Acme Inc, 1234 Street, CA 94105</td></tr></table>',
    ['482913'],
  ],
  [
    'x',
    null,
    '<img alt="ACME"><h1>Sign-in code</h1><p>482913</p><img alt="FACEBOOK"><img alt="TWITTER">',
    ['482913'],
  ],
  [
    'Your code',
    null,
    '<img alt="ACME"><p>Your verification code is</p><p>K7XQ2P</p><p>ACME LTD</p>',
    ['K7XQ2P'],
  ],
  ['x', null, '<p>Code:</p><p>4</p><p>8</p><p>2</p><p>9</p><p>1</p><p>3</p>', ['482913']],
  ['x', null, '<p>Code</p><table><tr><th>4</th><th>8</th><th>2</th><th>9</th></tr></table>', ['4829']],
  ['x', null, '<p>Your code: <b>4</b> <b>8</b> <b>2</b> <b>9</b> <b>1</b> <b>3</b></p>', ['482913']],
  ['x', null, '<p>Your code: 4&nbsp;8&nbsp;2&nbsp;9&nbsp;1&nbsp;3</p>', ['482913']],
  [
    'x',
    null,
    '<p>Your code: 4&nbsp;&nbsp;8&nbsp;&nbsp;2&nbsp;&nbsp;9&nbsp;&nbsp;1&nbsp;&nbsp;3</p>',
    ['482913'],
  ],
  [
    'x',
    null,
    '<p>Your code</p><table><tr><td><input value=4 maxlength=1></td><td><input value=8 maxlength=1></td><td><input value=2 maxlength=1></td><td><input value=9 maxlength=1></td></tr></table><p>Valid for 10 minutes</p>',
    ['4829'],
  ],
  ['x', null, '<p>Your code: 4<!-- -->8<!-- -->2<!-- -->9<!-- -->1<!-- -->3</p>', ['482913']],
  [
    'x',
    null,
    '<p>Enter code</p><table><tr><td>4</td></tr><tr><td>8</td></tr><tr><td>2</td></tr><tr><td>9</td></tr><tr><td>1</td></tr><tr><td>3</td></tr></table>',
    ['482913'],
  ],
  [
    'x',
    null,
    '<p>Enter code</p><ul><li>X</li><li>7</li><li>K</li><li>2</li><li>P</li><li>Q</li></ul>',
    ['X7K2PQ'],
  ],
  [
    'x',
    null,
    '<p>Your 6-digit verification code</p><div>4</div><div>8</div><div>2</div><div>9</div><div>1</div><div>3</div><p>Expires in</p><div>10</div><div>minutes</div>',
    ['482913'],
  ],
  ['x', null, '<p>Your code is 482&zwnj;913</p>', ['482913']],
  ['x', null, '<p>Your code is 482&shy;913</p>', ['482913']],
  ['x', null, '<p>Your code is 482&#8209;913</p>', ['482913']],
  ['x', null, '<p>Your code is 482&ndash;913</p>', ['482913']],
  ['x', null, '<p>認証コード<br>&#65300;&#65304;&#65298;&#65305;&#65297;&#65299;</p>', ['482913']],
  [
    'x',
    null,
    '<div style="display:none">482913 is your code &zwnj;&nbsp;&zwnj;&nbsp;</div><p>Enter it.</p>',
    ['482913'],
  ],
  ['x', null, '<dl><dt>Order</dt><dd>48213</dd><dt>Code</dt><dd>109799</dd></dl>', ['109799']],
  [
    'x',
    null,
    '<table><tr><td>Order number</td><td>48213</td></tr><tr><td>Login code</td><td>109799</td></tr></table>',
    ['109799'],
  ],
  ['x', null, '<p>Your code</p><p>482913</p><a href="#">COPY CODE</a>', ['482913']],
  ['x', null, '<p>Your code: <code>482913</code></p>', ['482913']],
  ['x', null, '<p>Your code is <strong>482</strong><strong>913</strong>.</p>', ['482913']],
  ['x', null, '<p>Your code is <strong>482</strong> <strong>913</strong>.</p>', ['482913']],
  ['x', null, '<p dir=rtl>رمز التحقق</p><p dir=ltr>٤٨٢٩١٣</p>', ['482913']],
  ['Your code', null, '<h1>482 913</h1><p>Enter this in the app to continue.</p>', ['482913']],
  [
    'x',
    'Diese E-Mail enthält HTML. Bitte nutzen Sie ein Programm, das HTML anzeigt.',
    '<p>Ihr Code: 482913</p>',
    ['482913'],
  ],
  [
    'x',
    'Your code was sent. Case 99887766. Visit 445566 for more about code',
    '<p>Your code is <b>482913</b></p>',
    ['482913'],
  ],
  ['x', 'Your code: AB12CD', '<p>Your code: <b>AB12CD</b></p>', ['AB12CD']],
  ['x', 'Open https://app.test/v?code=998877', '<p>Your code is 482913</p>', ['482913']],
  [
    'Brand',
    null,
    '<img alt="ACME"><p>Enter the code from your authenticator app.</p><p>ACME</p><p>ACME Inc., 2026</p>',
    [],
  ],
];

for (const [subject, text, html, values] of mails) {
  test(`finds ${values.join(' and ') || 'nothing'} in ${JSON.stringify(html.slice(0, 90))}`, () => {
    const codes = findCodes({ otpToken: null, subject, text, html: readHtml(html).text });
    assert.deepEqual(
      codes.map(({ value }) => value),
      values,
    );
  });
}
