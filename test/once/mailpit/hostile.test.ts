import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostileIds, mailpitClient } from '#test/support/clients/mailpit.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';

const { program, user } = await scene();
const ask = mailpitClient(program, { 'x-api-key': user.key });
const id = await deliverOne(program, { to: user.address, subject: 'Kept', html: '<p>x</p>' });

test('no id is more than an id: 404 in the words of Mailpit, and none of it comes back', async () => {
  for (const name of hostileIds) {
    for (const path of [
      `/api/v1/message/${name}`,
      `/api/v1/message/${name}/part/1`,
      `/view/${name}.html`,
      `/view/${name}`,
    ]) {
      const answer = await ask('GET', path);
      assert.equal(answer.status, 404, path);
      assert.match(answer.text, /^(404 page not found|Message not found)$/);
      assert.match(answer.type, /^text\/plain/);
    }
  }
  assert.equal((await ask('GET', `/api/v1/message/${id}/part/__proto__`)).status, 404);
  assert.equal((await ask('GET', '/api/v1/message/%E0%A4%A')).status, 404);
});

test('bodies are bounded in bytes, depth, values and ids, and refused as texts', async () => {
  const deep = `${'['.repeat(50)}${']'.repeat(50)}`;
  for (const [method, path, body, status] of [
    ['DELETE', '/api/v1/messages', `{"IDs":${JSON.stringify(Array(1001).fill('1'))}}`, 400],
    ['DELETE', '/api/v1/messages', `{"IDs":[${'"1",'.repeat(10_001)}"1"]}`, 400],
    ['PUT', '/api/v1/messages', `{"IDs":${deep}}`, 400],
    ['DELETE', '/api/v1/messages', `{"IDs":["${'1'.repeat(70_000)}"]}`, 413],
    ['DELETE', '/api/v1/messages', '{"IDs":[1]}', 400],
    ['DELETE', '/api/v1/messages', '{"IDs":"1"}', 400],
    ['DELETE', '/api/v1/messages', '[]', 400],
    ['DELETE', '/api/v1/messages', 'nope', 400],
    ['PUT', '/api/v1/messages', '', 400],
    ['PUT', '/api/v1/messages', '{"Read":"yes"}', 400],
    ['PUT', '/api/v1/messages', '{"IDs":["1"],"Search":"x"}', 400],
    ['PUT', '/api/v1/tags', `{"IDs":["${id}"],"Tags":["${'x'.repeat(41)}"]}`, 400],
    [
      'PUT',
      '/api/v1/tags',
      `{"IDs":["${id}"],"Tags":${JSON.stringify(
        Array(21)
          .fill('x')
          .map((x, i) => x + i),
      )}}`,
      400,
    ],
    ['PUT', '/api/v1/tags/none', '{"Name":""}', 400],
    ['POST', '/api/v1/send', '{"From":[]}', 400],
    ['POST', '/api/v1/send', deep, 400],
    ['POST', '/api/v1/send', '{"From":{"Email":"a@b.test"},"Headers":{"To":"x@y.test"}}', 400],
  ] as const) {
    const answer = await ask(method, path, { body, headers: { 'content-type': 'application/json' } });
    assert.equal(answer.status, status, `${method} ${path} ${body.slice(0, 60)}: ${answer.text}`);
    assert.match(answer.type, path.endsWith('/send') ? /^application\/json/ : /^text\/plain/);
  }
  assert.equal((await ask('GET', `/api/v1/message/${id}`)).json.Subject, 'Kept');
});

test('searches are bounded, and none is an error of ours', async () => {
  const long = 'x'.repeat(1001);
  assert.equal((await ask('GET', `/api/v1/search?query=${long}`)).status, 400);
  const costly = [
    '"',
    '"'.repeat(900),
    '-',
    '!!!!',
    ':',
    'from:',
    'message-id:%',
    'tag:"',
    '(((((',
    '%25_%25',
    '-"a b',
    'addressed:a '.repeat(9),
    'larger:99999999999999999999',
    '\u0000',
  ];
  for (const query of costly) {
    const answer = await ask('GET', `/api/v1/search?query=${encodeURIComponent(query)}`);
    assert.ok([200, 400].includes(answer.status), `${query}: ${answer.status}`);
  }
  // Mailpit clients poll from several processes at the same time, and give up at the first 429.
  const some = await Promise.all(
    Array.from({ length: 8 }, () => ask('GET', '/api/v1/search?query=from:shop%20a%20b')),
  );
  assert.ok(some.every(({ status }) => status === 200));
  const many = await Promise.all(
    Array.from({ length: 30 }, () => ask('GET', '/api/v1/search?query=a%20b%20c')),
  );
  assert.ok(many.every(({ status }) => status === 200 || status === 429));
});

test('limits and starts of any size are read as Mailpit reads them', async () => {
  for (const value of ['0', '1', '999999999999999', '9'.repeat(40), '-5', '1.5', 'NaN', '0x10', '']) {
    const answer = await ask('GET', `/api/v1/messages?limit=${value}&start=${value}`);
    assert.equal(answer.status, 200, value);
  }
  assert.equal((await ask('GET', '/api/v1/messages?limit=5&limit=6&team_id=999')).status, 404);
});

test('other methods and unknown paths are refused as texts', async () => {
  assert.equal((await ask('PATCH', '/api/v1/messages')).status, 405);
  assert.equal((await ask('OPTIONS', '/api/v1/messages')).status, 405);
  for (const path of ['/api/v1/', '/api/v1/nope', '/api/v1/message', '/view/', '/view'])
    assert.equal((await ask('GET', path)).status, 404, path);
});

test('a part that a browser would run is downloaded, and every part is in a sandbox', async () => {
  const attachments = [
    { filename: 'x.html', content: '<script>alert(1)</script>', contentType: 'text/html' },
    { filename: 'x.svg', content: '<svg onload="alert(1)"/>', contentType: 'image/svg+xml' },
    { filename: 'x"\r\n.png', content: 'png', contentType: 'image/png' },
  ];
  const own = await deliverOne(program, { to: user.address, subject: 'Parts', attachments });
  for (const [part, type, disposition] of [
    ['2', 'application/octet-stream', /^attachment/],
    ['3', 'application/octet-stream', /^attachment/],
    ['4', 'image/png', /^inline; filename="[^"\r\n]*"$/],
  ] as const) {
    const { headers } = await ask('GET', `/api/v1/message/${own}/part/${part}`);
    assert.equal(headers['content-type'], type);
    assert.match(String(headers['content-disposition']), disposition);
    assert.match(String(headers['content-security-policy']), /sandbox/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }
  const thumb = await ask('GET', `/api/v1/message/${own}/part/2/thumb`);
  assert.equal(thumb.type, 'image/jpeg');
});
