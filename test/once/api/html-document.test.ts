import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

const { program, user } = await scene();

const bytes = Buffer.from(Array.from({ length: 200_001 }, (_, at) => at % 251));

function mail(html: string, pictures: Record<string, Buffer> = {}): string {
  const encoded = (picture: Buffer) => picture.toString('base64').replace(/.{76}/g, '$&\r\n');
  const parts = [
    `Content-Type: text/html; charset=utf-8\r\n\r\n${html}`,
    ...Object.entries(pictures).map(
      ([id, picture]) =>
        `Content-Type: image/png\r\nContent-ID: <${id}>\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded(picture)}`,
    ),
  ];
  const head = `From: a@example.com\r\nTo: ${user.address}\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b`;
  return `${head}\r\n\r\n${parts.map((part) => `--b\r\n${part}`).join('\r\n')}\r\n--b--\r\n`;
}

const send = (raw: string) => deliverOne(program, { to: user.address, raw });

async function documentOf(html: string, pictures: Record<string, Buffer> = {}): Promise<string> {
  const id = await send(mail(html, pictures));
  const answer = await user.api.get(`/api/messages/${id}/html?images=inline`);
  assert.equal(answer.status, 200, answer.body.toString());
  const text = answer.body.toString();
  return text.slice(text.indexOf('</style>') + '</style>'.length);
}

test('the HTML is a document with the pictures of the mail, under the policy of the frame', async () => {
  const html =
    '<p title="a &amp; b">Grüße &lt;1&gt; &copy;</p><img src="cid:one@x"><table background="CID:two%40x"><td style="background:url(\'cid:two@x\')"></table>';
  const two = Buffer.from('small');
  const id = await send(mail(html, { 'one@x': bytes, 'two@x': two }));
  const answer = await user.api.get(`/api/messages/${id}/html?images=inline`);
  assert.equal(answer.status, 200);
  const { headers } = answer;
  assert.equal(headers['content-type'], 'text/html');
  assert.equal(headers['content-length'], String(answer.body.length));
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'none'",
  );
  assert.equal(headers['x-content-type-options'], 'nosniff');
  const text = answer.body.toString();
  assert.ok(
    text.startsWith('<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'),
  );
  const one = `data:image/png;base64,${bytes.toString('base64')}`;
  const other = `data:image/png;base64,${two.toString('base64')}`;
  const body = `<p title="a &amp; b">Grüße &lt;1> ©</p><img src="${one}"><table background="${other}"><td style="background:url('${other}')"></table>`;
  assert.equal(text.slice(text.indexOf('</style>') + '</style>'.length).trim(), body);
  const head = await user.api.call('HEAD', `/api/messages/${id}/html?images=inline`);
  assert.deepEqual([head.headers['content-length'], head.body.length], [String(answer.body.length), 0]);
  const without = await user.api.get(`/api/messages/${id}/html`);
  assert.match(without.body.toString(), /<img src="data:,">.*url\('data:,'\)/);
});

const cases: [name: string, html: string, document: string][] = [
  ['scripts and their content', 'a<script>alert("</p>")</script>b', 'ab'],
  ['handlers of events', '<p onclick=x() ONLOAD="y()" id=p>a', '<p id="p">a'],
  ['frames and objects', '<iframe src=x>a</iframe><object data=x><b>c</b></object><embed src=y>', '<b>c</b>'],
  ['forms, but not their fields', '<form action=/x><input name=n formaction=/y></form>', '<input name="n">'],
  [
    'refreshes, bases and links',
    '<meta http-equiv=refresh content=0><base href=/x><link rel=preconnect href=//x>',
    '',
  ],
  ['SVG and MathML', 'a<svg><style><img src=x onerror=y></style></svg><math><mi>x</math>b', 'ab'],
  [
    'links that run',
    '<a href="java&#10;script:x">a</a><a href=" data:text/html,x">b</a>',
    '<a>a</a><a>b</a>',
  ],
  ['links to paths of ours', '<a href=/api/tokens>a</a><a href="#b">b</a>', '<a>a</a><a href="#b">b</a>'],
  [
    'targets and pings',
    '<a href=https://x.example/ target=_top ping=/y>a</a>',
    '<a href="https://x.example/">a</a>',
  ],
  ['images of the web', '<img src=https://x.example/a.png srcset="/b 2x" alt=c>', '<img alt="c">'],
  ['images of no mail', '<img src="cid:none@x">', '<img src="data:,">'],
  ['quotes in values', "<p title='\"><script>'>a", '<p title="&quot;>&lt;script>">a'],
  ['second attributes of a name', '<p id=a id=b>', '<p id="a">'],
  ['comments', 'a<!-- <b> --><!--[if mso]><i>x<![endif]-->b', 'ab'],
  [
    'URLs of the web in CSS',
    '<style>@import "//x.example/a";p{background:url(HTTPS://x.example/b)}</style>',
    '<style>@import "data:,";p{background:url(data:,)}</style>',
  ],
  [
    'ends of a style sheet',
    '<style>p::before{content:"<\\/style><script>"}</style>',
    '<style>p::before{content:"\\3c \\/style>\\3c script>"}</style>',
  ],
  ['tags that only look like some', '<scr<script>ipt>a</scr</script>ipt>< b> <3', 'ipt>aipt>&lt; b> &lt;3'],
  ['elements that nobody knows, but not their content', '<o:p>a</o:p><blink>b</blink>', 'ab'],
];

for (const [name, html, document] of cases) {
  test(`the document has none of: ${name}`, async () => {
    assert.equal((await documentOf(html)).trim(), document);
  });
}

test('a mail without HTML, of another team, or with another parameter has no document', async () => {
  const id = await send('Subject: text\r\n\r\nText only\r\n');
  const none = await user.api.get(`/api/messages/${id}/html?images=inline`);
  assert.deepEqual([none.status, none.json.detail], [404, 'This message has no HTML']);
  const html = await send(mail('<p>a'));
  const other = await createUser(program);
  assert.equal((await other.api.get(`/api/messages/${html}/html?images=inline`)).status, 404);
  assert.equal((await user.api.get(`/api/messages/${html}/html?images=all`)).status, 422);
  assert.equal((await user.api.get(`/api/messages/${html}/html?image=inline`)).status, 422);
});

test('pictures of a document are bounded, however often they are shown', async () => {
  const picture = Buffer.alloc(1_048_576, 'x');
  const body = await documentOf('<img src="cid:a@x">'.repeat(40), { 'a@x': picture });
  assert.equal(body.split('data:image/png').length - 1, 32);
  assert.equal(body.split('"data:,"').length - 1, 8);
});
